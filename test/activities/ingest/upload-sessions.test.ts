// The service's word about a session is believed where it is about that session.
import { ServiceUploadSessions } from '../../../activities/ingest/upload-sessions';
import type { Sender } from '../../../activities/service/service-client';

const ASKED = '01HF7YAT31JZHSMW1CG6Q6MHB7';
const { signal } = new AbortController();

function sessionsThatAnswer(id: string): ServiceUploadSessions {
  const client = { send: async () => ({ data: { id, status: 'available', freshSegments: [] } }) };
  return new ServiceUploadSessions(client as unknown as Sender, { companyId: '1', projectId: '2' });
}

test('that another session is available, or complete, is an answer that cannot be used', async () => {
  const sessions = sessionsThatAnswer('01HF7YAT31JZHSMW1CG6Q6MHB8');
  const fault = { code: 'SERVICE_UNAVAILABLE', fault: 'response', effect: 'unknown' };
  await expect(sessions.look(ASKED, signal)).rejects.toMatchObject(fault);
  await expect(sessions.report(ASKED, ['e'], signal)).rejects.toMatchObject(fault);
});

test('an id is the same in small letters', async () => {
  for (const id of [ASKED, ASKED.toLowerCase()]) {
    const sessions = sessionsThatAnswer(id);
    expect(await sessions.look(ASKED, signal)).toMatchObject({ kind: 'found', status: 'available' });
    expect(await sessions.report(ASKED, ['e'], signal)).toBe('available');
  }
});
