// Parts below a change order, in a contract with many loose ones of others.
import { setImmediate } from 'node:timers/promises';
import { readPartsBelow } from '../../../activities/change-orders/change-orders-below';
import { OriginMemory } from '../../../activities/change-orders/origin-memory';
import type { Sender } from '../../../activities/service/service-client';

const INPUT = {
  project: { companyId: '5001', projectId: '7001' },
  contractId: '6001',
  packageId: '1',
  requestIds: [],
  knownIds: [],
  withPotentials: true,
};
const LOOSE = Array.from({ length: 40 }, (_, index) => ({ id: 100 + index, title: `Loose ${index}` }));

test('loose parts of others are read several at a time, and ours come in the order of the list', async () => {
  let underWay = 0;
  let most = 0;
  const originOf = (id: string) => (Number(id) % 10 === 0 ? `CO-14/r1/p${id}` : `other/${id}/1`);
  const answers: Readonly<Record<string, (id: string) => unknown>> = {
    'changeOrderPackages.show': () => ({ id: 1, origin_id: 'CO-14' }),
    'changeOrderRequests.list': () => [],
    'potentialChangeOrders.list': () => LOOSE,
    'potentialChangeOrders.show': id => ({ id, origin_id: originOf(id) }),
  };
  const client: Sender = {
    send: async (endpoint, { params }) => {
      underWay++;
      most = Math.max(most, underWay);
      const { id = '' } = params as { id?: string };
      // Those with a high id are answered first.
      for (let turns = 150 - Number(id); turns > 0; turns--) await setImmediate();
      underWay--;
      return { data: endpoint.response.parse(answers[endpoint.name]?.(id)), status: 200 } as never;
    },
  };
  const scope = { signal: new AbortController().signal };
  const { parts } = await readPartsBelow(client, INPUT, scope, new OriginMemory());
  expect(parts.map(({ id }) => id)).toEqual(['100', '110', '120', '130']);
  expect(most).toBe(4);
});
