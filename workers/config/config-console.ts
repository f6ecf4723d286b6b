// The page's section of the config file: where it is served, and to whom.
import { z } from 'zod';
import { isLoopbackHost } from '../../activities/service/service-config';
import type { ConfigFault } from './config-types';
import { duration, listenAddress, parsePeer, secretReference, webAddress } from './config-values';

const ORIGIN = 'an origin such as "https://drawbridge.example.com", without a path';

const role = z.enum(['see', 'answer', 'operate']);
const header = z.string().regex(/^[A-Za-z0-9-]{1,80}$/, 'a header name such as "X-Remote-User"');

const accessSection = z
  .strictObject({
    users: z
      .strictObject({
        file: z
          .string()
          .min(1)
          .optional()
          .describe('Default: console-users.json in the state folder; `console add-user` writes it.'),
      })
      .optional()
      .describe('People sign in with a name and a password of their own here.'),
    proxy: z
      .strictObject({
        peers: z
          .array(
            z
              .string()
              .min(2, { abort: true })
              .refine(text => parsePeer(text) !== undefined, {
                error: 'an address, or a network such as "10.1.0.0/24"',
              }),
          )
          .min(1)
          .max(50)
          .describe('Addresses, or networks such as "10.1.0.0/24", of the proxies that are believed.'),
        nameHeader: header.describe('Its value is the name of who asks.'),
        groupsHeader: header.optional().describe('Groups of who asks, with commas between.'),
      })
      .optional()
      .describe('A proxy before the page signs people in, and says who asks.'),
    openid: z
      .strictObject({
        issuer: webAddress.describe('Address of the provider, as its discovery document has it.'),
        clientId: z.string().min(1).max(500),
        clientSecret: secretReference.optional().describe('Absent for a public client.'),
        scope: z.string().min(1).max(500).default('openid profile email'),
        personClaim: z
          .string()
          .min(1)
          .default('email')
          .describe('Tells people apart, and is what grants name. An e-mail address must be verified.'),
        nameClaim: z
          .string()
          .min(1)
          .default('name')
          .describe('What they are called on the page and in receipts.'),
        groupsClaim: z.string().min(1).default('groups'),
      })
      .optional()
      .describe('People sign in at a provider of OpenID Connect.'),
    grants: z
      .array(
        z
          .strictObject({
            people: z.array(z.string().min(1).max(200)).max(1_000).default([]),
            groups: z.array(z.string().min(1).max(200)).max(100).default([]),
            role: role.describe('Each includes those before it: see, answer, operate.'),
            shares: z.array(z.string().min(1)).min(1).max(1_000).default(['*']),
          })
          .refine(({ people, groups }) => people.length + groups.length > 0, {
            error: '"people" or "groups"',
          }),
      )
      .max(500)
      .default([])
      .describe('Who may do what with which shares; who is named nowhere sees nothing.'),
    idle: duration('1m', '30d')
      .default(12 * 3_600_000)
      .describe('Who has no page open for so long signs in again.'),
    longest: duration('1m', '90d')
      .default(7 * 86_400_000)
      .describe('After so long everybody signs in again.'),
  })
  .describe('Who may look and do. Needed wherever the page is served beyond this machine.')
  .prefault({});

export const consoleSection = z
  .strictObject({
    inRun: z.boolean().default(true).describe('Whether `run` serves the page as well.'),
    host: z.string().min(1).default('127.0.0.1').describe('Where the page is served.'),
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('Default: 7490, or the next one that is free.'),
    prefix: z
      .string()
      .regex(/^(?:\/[\w.~-]{1,60}){0,5}$/, 'a path such as "/drawbridge", or nothing')
      .default('')
      .describe('Path prefix below which a proxy has the page; it may take it away or leave it.'),
    publicOrigin: webAddress
      .refine(text => URL.canParse(text) && new URL(text).origin === text.toLowerCase(), { error: ORIGIN })
      .optional()
      .describe('As browsers name it, where that is not this machine: scheme, host and port.'),
    workers: z
      .array(listenAddress)
      .max(50)
      .default([])
      .describe(
        'Where workers of other processes serve their numbers (their metrics.listen), such as "10.0.0.5:9464".',
      ),
    temporalUi: webAddress
      .optional()
      .describe("Address of Temporal's UI, for links of operators. Default: the embedded one's."),
    access: accessSection,
  })
  .describe('The page: what is on its way, what waits, what went wrong, in a browser.')
  .prefault({});

export type ConsoleSettings = z.output<typeof consoleSection>;
export type AccessSettings = ConsoleSettings['access'];

/**
 * Faults that show when the settings are seen together: nobody is let in by mistake, and no grant says
 * nothing.
 * @param shares names of all of them; undefined where they are not known.
 */
export function checkConsole(
  settings: ConsoleSettings | undefined,
  shares: readonly string[] | undefined,
): ConfigFault[] {
  if (settings === undefined) return [];
  const { access, host, publicOrigin } = settings;
  const ways = [access.users, access.proxy, access.openid].filter(way => way !== undefined).length;
  const origin = publicOrigin === undefined ? undefined : new URL(publicOrigin);
  const isElsewhere = origin !== undefined && !isLoopbackHost(origin.hostname);
  const faults: ConfigFault[] = [];
  const expect = (isSo: boolean, path: string, what: string): void => {
    if (!isSo) faults.push({ path: `console.${path}`, text: `expected ${what}` });
  };
  expect(ways <= 1, 'access', 'one of "users", "proxy" and "openid", found several');
  expect(
    ways > 0 || (isLoopbackHost(host) && !isElsewhere),
    'access',
    'one of "users", "proxy" and "openid": the page is served beyond this machine (docs/console.md)',
  );
  expect(
    publicOrigin !== undefined || (isLoopbackHost(host) && access.openid === undefined),
    'publicOrigin',
    'the address that browsers have for it, such as "https://drawbridge.example.com"',
  );
  expect(
    !isElsewhere || origin.protocol === 'https:',
    'publicOrigin',
    'https: names, passwords and documents pass there',
  );
  expect(
    ways > 0 || access.grants.length === 0,
    'access.grants',
    '"users", "proxy" or "openid" beside it: where nobody signs in, grants say nothing',
  );
  return shares === undefined ? faults : [...faults, ...findUnknownShares(access, shares)];
}

function findUnknownShares({ grants }: AccessSettings, known: readonly string[]): ConfigFault[] {
  return grants.flatMap(({ shares }, at) =>
    shares.flatMap((share, index) =>
      share === '*' || known.includes(share)
        ? []
        : {
            path: `console.access.grants[${at}].shares[${index}]`,
            text: `expected "*" or the name of a share, there is no "${share}"`,
          },
    ),
  );
}
