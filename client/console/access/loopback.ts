// Access without signing in, on this machine only: whoever uses it may do everything, under their user name.
import type { FastifyRequest } from 'fastify';
import { whoAnswers } from '../../answers/who-answers';
import type { Access } from '../serve/access';
import { ConsoleProblem } from '../serve/module';
import { texts } from '../texts/texts';

/**
 * Headers that proxies add; a request with one is refused. A proxy on this machine would let everybody in,
 * for all of its requests come from here.
 */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

export function createLoopbackAccess(name: string = whoAnswers() ?? 'somebody'): Access {
  const visitor = { person: { id: name, name, may: () => true }, session: name };
  return {
    signIn: 'none',
    visitorOf: ({ headers }: FastifyRequest) => {
      if (OF_PROXIES.every(each => headers[each] === undefined)) return visitor;
      throw new ConsoleProblem(403, texts.access.throughProxy);
    },
  };
}
