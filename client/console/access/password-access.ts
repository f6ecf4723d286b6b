// Signing in with a name and a password of our own.
import type { FastifyRequest } from 'fastify';
import type { AccessSettings } from '../../../workers/config/config-console';
import type { Logger } from '../../../workers/logging';
import type { Access, Visitor } from '../serve/access';
import { ConsoleProblem } from '../serve/module';
import { texts } from '../texts/texts';
import { toPerson } from './grants';
import type { Sessions } from './sessions';
import { Tries } from './tries';
import { isNamed, isPasswordOf, readUsers, stampOf, type User } from './users-file';

const READ_AGAIN_MS = 5_000;
/** Passwords that are checked at one time: checking takes memory and time on purpose. */
const MOST_AT_ONCE = 4;

export interface PasswordAccessInput {
  readonly file: string;
  readonly grants: AccessSettings['grants'];
  readonly sessions: Sessions;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => Date;
}

export async function createPasswordAccess(input: PasswordAccessInput): Promise<Access> {
  const { file, grants, sessions, logger } = input;
  const tries = new Tries(() => input.now().getTime());
  let users = await readUsers(file);
  let atOnce = 0;
  const reading = setInterval(() => {
    readUsers(file).then(
      read => {
        users = read;
      },
      (error: unknown) =>
        logger.warn({ event: 'console-users-unread', error }, 'The users cannot be read anew'),
    );
  }, READ_AGAIN_MS);
  reading.unref();
  const toVisitor = (user: User, key: string): Visitor => ({
    person: toPerson({ id: user.name, name: user.name, groups: [] }, grants, [user]),
    session: key,
  });
  return {
    signIn: 'password',
    visitorOf: (request: FastifyRequest) => {
      const session = sessions.find(request);
      const user = session && users.find(each => isNamed(each, session.id));
      // A user who is gone, or has another password since, is no longer signed in.
      return session === undefined || user === undefined || stampOf(user) !== session.stamp
        ? undefined
        : toVisitor(user, session.key);
    },
    enter: async (request, reply, { name, password }) => {
      const [peer, asked] = [request.ip, name.toLowerCase()];
      const waitMs = tries.waitMs(peer, asked);
      if (waitMs > 0) throw new ConsoleProblem(429, texts.access.tooManyTries(Math.ceil(waitMs / 60_000)));
      if (atOnce >= MOST_AT_ONCE) throw new ConsoleProblem(503, texts.access.manySignIn);
      // Counted as failed before it is checked, so that many tries at once do not get past the limit.
      tries.failed(peer, asked);
      atOnce++;
      try {
        users = await readUsers(file);
        const user = users.find(each => isNamed(each, name));
        const isRight = await isPasswordOf(user, password);
        if (user === undefined || !isRight) {
          logger.warn(
            { event: 'console-sign-in', who: user?.name ?? null, isIn: false },
            'Somebody was not let in',
          );
          throw new ConsoleProblem(401, texts.access.notRight);
        }
        tries.succeeded(peer, asked);
        const known = { id: user.name, name: user.name, groups: [] };
        const { key } = await sessions.begin(request, reply, known, stampOf(user));
        logger.info({ event: 'console-sign-in', who: user.name, isIn: true }, 'Somebody signed in');
        return toVisitor(user, key);
      } finally {
        atOnce--;
      }
    },
    leave: (request, reply) => sessions.end(request, reply),
    close: async () => {
      clearInterval(reading);
      await sessions.close();
    },
  };
}
