// The door before a UI that lets the page of any site read, as those of older servers do.
import { request } from 'node:http';
import { openUiDoor, type UiDoor } from '../../../workers/temporal/embedded-ui';
import { json, ScriptedService } from '../../activities/service/scripted-service';
import { findFreePorts } from '../../setup/free-port';

let ui: ScriptedService;
let door: UiDoor;
let port: number;

beforeAll(async () => {
  ui = new ScriptedService();
  await ui.listen();
  ui.answer((_, response) =>
    json(response, 200, { batches: [] }, { 'access-control-allow-origin': '*', 'x-of-the-ui': 'yes' }),
  );
  const [free = 0] = await findFreePorts(1);
  port = free;
  door = await openUiDoor(port, { host: '127.0.0.1', port: Number(new URL(ui.url).port) });
});
afterAll(async () => {
  await door.close();
  await ui.close();
});

async function ask(headers: Readonly<Record<string, string>>, method = 'GET') {
  const path = '/api/v1/namespaces/default/workflows';
  return await new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers }, answer => {
        answer.resume();
        answer.once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
      });
      asked.once('error', reject);
      asked.end();
    },
  );
}

const fetched = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
const followed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

test.each([
  ['the page of another site', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', ...fetched }],
  ['a browser that tells the origin alone', { origin: 'http://evil.example' }],
  ['a page that hides where it is from', { origin: 'null' }],
  ['one that tells no origin', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['the page of another program of this machine', { 'sec-fetch-site': 'same-site', ...fetched }],
  ['a page around it', { 'sec-fetch-site': 'cross-site', ...followed, 'sec-fetch-dest': 'iframe' }],
])('%s reads nothing', async (_, headers) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) expect((await ask(headers, method)).status).toBe(403);
  expect(ui.seen).toEqual([]);
});

test.each([
  ['a program', {}],
  ['the UI itself', { 'sec-fetch-site': 'same-origin', ...fetched }],
  ['an address that was typed', { 'sec-fetch-site': 'none', ...followed }],
  ['a link from elsewhere that somebody follows', { 'sec-fetch-site': 'cross-site', ...followed }],
])('%s reads, and no leave for others goes with it', async (_, headers) => {
  const answer = await ask(headers);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'x-of-the-ui': 'yes' });
  expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))).toEqual([]);
});
