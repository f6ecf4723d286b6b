import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorOf, showThing, useClientBed } from './client-bed';
import { createSelfSigned } from './self-signed';

const bed = useClientBed();
const { key, cert } = createSelfSigned();
const input = { params: { id: 'a' }, companyId: '1' };
let server: Server;
let requests = 0;

beforeEach(async () => {
  requests = 0;
  server = createServer({ key, cert }, (_, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"data":{"id":"a"}}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

const address = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('a certificate that nobody vouches for is a matter of configuration, and nothing is sent', async () => {
  const client = bed().clientWith({ baseUrl: address() });
  expect(await errorOf(client.send(showThing, input))).toMatchObject({
    code: 'MISCONFIGURED',
    effect: 'not-sent',
  });
  expect(requests).toBe(0);
});

test('a configured authority is trusted', async () => {
  const client = bed().clientWith({ baseUrl: address(), caBundle: cert });
  expect((await client.send(showThing, input)).data).toEqual({ id: 'a' });
});
