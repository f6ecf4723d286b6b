// On this machine only, and nobody signs in: whoever is at it may do everything, under their name here.
import type { FastifyRequest } from 'fastify';
import { whoAnswers } from '../../answers/who-answers';
import type { Access } from '../serve/access';
import { ConsoleProblem } from '../serve/module';
import { texts } from '../texts/texts';

/** What a proxy adds. One before us would let everybody in: all of its requests come from this machine. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

export function createLoopbackAccess(name: string = whoAnswers() ?? 'somebody'): Access {
  const visitor = { person: { name, may: () => true }, session: name };
  return {
    signIn: 'none',
    visitorOf: ({ headers }: FastifyRequest) => {
      if (OF_PROXIES.every(each => headers[each] === undefined)) return visitor;
      throw new ConsoleProblem(403, texts.access.throughProxy);
    },
  };
}
