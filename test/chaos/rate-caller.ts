// A process that does nothing but send requests through the host's rate gate, as fast as it is let; to be
// killed. Arguments: folder of the gate, address of the API, callers at once.
import { get } from 'node:http';
import { SharedRateGate } from '../../activities/service/rate/shared-rate-gate';

const [, , folder = '', apiUrl = '', callers = '1'] = process.argv;
const gate = new SharedRateGate({ folder, account: apiUrl });

async function call(): Promise<void> {
  for (;;) {
    const permit = await gate.acquire({ maxWaitMs: 60_000 });
    const { status, headers } = await send();
    gate.observe(permit, headers, status);
  }
}

/** Without a token: refused with 401, but counted, and with the headers of the limit. */
function send(): Promise<{ readonly status: number | null; readonly headers: ReadonlyMap<string, string> }> {
  return new Promise(resolve => {
    const request = get(`${apiUrl}/rest/v1.0/projects/7001/users/9001`, response => {
      response.resume();
      const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      response.once('close', () =>
        resolve({ status: response.statusCode ?? null, headers: new Map(entries) }),
      );
    });
    request.once('error', () => resolve({ status: null, headers: new Map() }));
  });
}

for (let n = 0; n < Number(callers); n++) {
  call().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
