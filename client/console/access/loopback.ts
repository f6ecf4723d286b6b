// Access without signing in, on this machine only: whoever uses it may do everything, under their user name.
import type { FastifyRequest } from 'fastify';
import { whoAnswers } from '../../answers/who-answers';
import type { Access } from '../serve/access';
import { ConsoleProblem } from '../serve/module';
import { texts } from '../texts/texts';

/**
 * Headers that proxies add; a request with one is refused. A proxy on this machine would let everybody in,
 * for all of its requests come from here. One that adds none and speaks HTTP/1.1 is not to be told from a
 * program of this machine.
 */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

export function createLoopbackAccess(name: string = whoAnswers() ?? 'somebody'): Access {
  const visitor = { person: { id: name, name, may: () => true }, session: name };
  return {
    signIn: 'none',
    visitorOf: ({ headers, raw }: FastifyRequest) => {
      if (OF_PROXIES.some(each => headers[each] !== undefined))
        throw new ConsoleProblem(403, texts.access.throughProxy);
      // Browsers do not speak it any more; nginx does, where nothing else is set, and adds no header.
      if (raw.httpVersion === '1.0') throw new ConsoleProblem(403, texts.access.oldHttp);
      return visitor;
    },
  };
}
