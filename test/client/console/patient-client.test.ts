// Temporal, for who does not need it at once.
import { createPatientClient } from '../../../client/console/patient-client';
import type { TemporalSession } from '../../../client/session/session';

const TARGET = { address: 'here:1', namespace: 'n', connectionOptions: {} };

test('it is connected when first needed, once for all, and closed at the end', async () => {
  let opened = 0;
  let closed = 0;
  const session = {
    client: { name: 'client' },
    close: async () => {
      closed++;
    },
  } as unknown as TemporalSession;
  const patient = createPatientClient(TARGET, async () => {
    opened++;
    return session;
  });
  expect(opened).toBe(0);
  expect(await Promise.all([patient.client(), patient.client()])).toEqual([session.client, session.client]);
  await patient.close();
  expect([opened, closed]).toEqual([1, 1]);
});

test('while it is away everybody is told so, and it is not asked for each of them', async () => {
  let asked = 0;
  const patient = createPatientClient(TARGET, async () => {
    asked++;
    throw new Error('away');
  });
  await expect(patient.client()).rejects.toThrow('away');
  await expect(patient.client()).rejects.toThrow('away');
  expect(asked).toBe(1);
  await patient.close();
});
