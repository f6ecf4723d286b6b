// Who looks on is told what changed, and only then is anything looked at.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Topic } from '../../../../client/console/contract/session';
import type { Access } from '../../../../client/console/serve/access';
import type { AnyModule } from '../../../../client/console/serve/server';
import { openServer, type ServerBed } from './server-bed';

let bed: ServerBed;
let looked = 0;
let look: () => Promise<readonly Topic[]>;
let isIn = true;

let other: (() => Promise<readonly Topic[]>) | undefined;
const PARTS: readonly AnyModule[] = [
  { handlers: {}, look: async () => (await other?.()) ?? [] },
  {
    handlers: {},
    look: async () => {
      looked++;
      return await look();
    },
  },
];
const ACCESS: Access = {
  signIn: 'proxy',
  visitorOf: () =>
    isIn
      ? { person: { id: 'A', name: 'A', may: (_role, share) => share === 'tender' }, session: 'A' }
      : undefined,
};

beforeEach(async () => {
  looked = 0;
  isIn = true;
  other = undefined;
  look = async () => [];
  bed = await openServer({ modules: PARTS, access: ACCESS, liveEveryMs: { look: 5, beat: 20 } });
});
afterEach(() => bed.close());

class Watcher {
  readonly asked: ClientRequest;
  text = '';
  #response: IncomingMessage | undefined;

  constructor() {
    this.asked = request(`${bed.origin}/api/live`).end();
  }

  async open(): Promise<IncomingMessage> {
    const [response] = (await once(this.asked, 'response')) as [IncomingMessage];
    this.#response = response;
    response.setEncoding('utf8').on('data', part => {
      this.text += part;
    });
    return response;
  }

  async until(words: string): Promise<void> {
    while (!this.text.includes(words)) await once(this.#response as IncomingMessage, 'data');
  }

  async end(): Promise<void> {
    this.asked.destroy();
    while (bed.console.live.watchers > 0) await turn();
  }
}

test('nothing is looked at while nobody looks on, and once for all who do', async () => {
  expect(looked).toBe(0);
  const [one, other] = [new Watcher(), new Watcher()];
  const response = await one.open();
  expect(response.headers['content-type']).toMatch('text/event-stream');
  expect(response.headers['content-security-policy']).toMatch("default-src 'none'");
  await other.open();
  look = async () => ['jobs'];
  await Promise.all([one.until('"jobs"'), other.until('"jobs"')]);
  expect(one.text).toMatch(/^retry: 2000\nevent: hello\ndata: {"version":"1","beatMs":20}\n\n/);
  one.asked.destroy();
  await other.end();
  const before = looked;
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(looked).toBe(before);
});

test('the jobs of a share are named to those alone who see it', async () => {
  const one = new Watcher();
  await one.open();
  bed.console.live.changed(['job:site/secret', 'job:tender/mine']);
  await one.until('mine');
  expect(one.text).not.toContain('secret');
  await one.end();
});

test('trouble with looking ends nothing, and is told once', async () => {
  const one = new Watcher();
  await one.open();
  look = async () => {
    throw new Error('the share is away');
  };
  const before = looked;
  while (looked < before + 3) await turn();
  look = async () => ['drop'];
  await one.until('"drop"');
  expect(bed.records.filter(({ event }) => event === 'console-look-failed')).toHaveLength(1);
  await one.end();
});

test('a look that hangs holds up no other', async () => {
  const one = new Watcher();
  await one.open();
  let go = () => {};
  other = () => new Promise(resolve => (go = () => resolve([])));
  look = async () => ['drop'];
  await one.until('"drop"');
  go();
  await one.end();
});

test('each hears that the connection stands, and so often as it was told', async () => {
  const one = new Watcher();
  await one.open();
  await one.until('event: here');
  expect(one.text).toContain('"beatMs":20');
  await one.end();
});

test('who is signed out is told nothing more', async () => {
  const one = new Watcher();
  const response = await one.open();
  isIn = false;
  // Told at the same moment, nothing is written after the end.
  bed.console.live.changed(['jobs']);
  await once(response, 'end');
  while (bed.console.live.watchers > 0) await turn();
  // Its connection is kept, for whatever is asked next.
  expect(one.asked.socket?.destroyed).toBe(false);
  expect((await bed.ask('/api/live')).status).toBe(401);
});

test('it has closed when nothing looks any more', async () => {
  let isOver = false;
  const begun = new Promise<void>(resolve => {
    look = async () => {
      resolve();
      for (let turns = 0; turns < 20; turns += 1) await turn();
      isOver = true;
      return [];
    };
  });
  const watcher = new Watcher();
  await watcher.open();
  await begun;
  await bed.console.live.close();
  expect(isOver).toBe(true);
  await watcher.end();
});
