// People of our own: their names, what they may do, and hashes of their passwords.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { makeFolderOf, readPrivateFile, replacePrivateFile } from '../../../activities/service/private-file';
import { CliError, EXIT_CODES } from '../../session/cli-error';

const WHAT = "the page's file of users";
/** Advised for passwords: 32 MiB and a quarter of a second each. Kept with each hash, so that it can grow. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const MOST_MEMORY = 256 * 1024 ** 2;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const LEAST_PASSWORD = 10;
const MOST_NAME = 100;

type Cost = typeof COST;

const userShape = z.object({
  name: z.string().min(1).max(MOST_NAME),
  /** `scrypt$<N>$<r>$<p>$<salt>$<hash>`, the last two base64url. */
  password: z.string().regex(/^scrypt\$\d{1,7}\$\d{1,2}\$\d{1,2}\$[\w-]{20,}\$[\w-]{40,}$/),
  role: z.enum(['see', 'answer', 'operate']),
  shares: z.array(z.string()).min(1).readonly(),
});
export type User = z.infer<typeof userShape>;
interface GivenUser {
  readonly name: string;
  readonly role?: User['role'] | undefined;
  readonly shares?: User['shares'] | undefined;
}
const fileShape = z.object({ users: z.array(userShape) });

/** Nobody, when there is no file. @throws when it is open to others or cannot be read. */
export async function readUsers(path: string): Promise<readonly User[]> {
  const text = await readPrivateFile(path, WHAT);
  if (text === null) return [];
  try {
    return fileShape.parse(JSON.parse(text)).users;
  } catch (error) {
    throw new CliError(`${path} cannot be read as a file of users.`, EXIT_CODES.failed, error);
  }
}

/** Who is there already gets the new password, and keeps what is not given. */
export async function putUser(
  path: string,
  user: GivenUser,
  password: string,
  cost: Cost = COST,
): Promise<User> {
  if (user.name === '' || user.name.length > MOST_NAME)
    throw new CliError(`A name of 1 to ${MOST_NAME} characters is needed.`, EXIT_CODES.usage);
  if (password.length < LEAST_PASSWORD)
    throw new CliError(`A password of at least ${LEAST_PASSWORD} characters is needed.`, EXIT_CODES.usage);
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  const parts = [cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')];
  const known = await readUsers(path);
  const before = known.find(each => isNamed(each, user.name));
  const put = userShape.parse({
    name: user.name,
    role: user.role ?? before?.role ?? 'see',
    shares: user.shares ?? before?.shares ?? ['*'],
    password: `scrypt$${parts.join('$')}`,
  });
  const users = [...known.filter(each => !isNamed(each, user.name)), put];
  await makeFolderOf(path);
  await replacePrivateFile(path, `${JSON.stringify({ users }, undefined, 2)}\n`);
  return put;
}

export function isNamed(user: Pick<User, 'name'>, name: string): boolean {
  return user.name.toLowerCase() === name.toLowerCase();
}

/** Takes as long for a name that nobody has, so that it does not tell which names there are. */
export async function isPasswordOf(user: User | undefined, password: string): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = user?.password.split('$') ?? [];
  const cost = N === undefined ? COST : { N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Changes with each password, and says nothing of it. */
export function stampOf({ password }: User): string {
  return password.split('$')[4] ?? '';
}

function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, { ...cost, maxmem: MOST_MEMORY }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}
