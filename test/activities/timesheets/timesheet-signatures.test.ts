// Signatures against the stand-in service, over real HTTP: signing twice is signing once.
import { signTimesheet } from '../../../activities/timesheets/timesheet-signatures';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';
import {
  again,
  asked,
  effects,
  follows,
  listLate,
  lookingAgain,
  lookingOnce,
  project,
  scope,
} from './timesheet-bed';

const bed = useSandboxClient();

describe('signatures', () => {
  const input = {
    project,
    userId: '9001',
    text: 'I agree',
    fileName: 'timesheet-1.png',
    contentType: 'image/png' as const,
    imageBase64: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10]).toString('base64'),
  };

  test('the image arrives byte for byte, and signing twice is signing once', async () => {
    const { client, control } = bed();
    const signed = await signTimesheet(client, input, scope);
    expect(signed.fileName).toBe('timesheet-1.png');
    expect(await signTimesheet(client, input, scope)).toEqual(signed);
    const [made, ...more] = (await control.operations()).filter(({ what }) => what === 'signature-created');
    expect(more).toEqual([]);
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(Buffer.from(input.imageBase64, 'base64')).digest('hex');
    expect(made?.detail).toMatchObject({ sha256 });
  });

  test('a lost answer is found in the list', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.sign', action: { kind: 'reply-lost' } });
    expect(await errorOf(signTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    await signTimesheet(client, input, again);
    expect(await effects(bed(), 'signature-created')).toBe(1);
  });

  test('one whose answer was lost, and which is listed late, is looked for twice and not made again', async () => {
    const { client, control } = bed();
    await control.addFault({ route: 'timesheets.sign', action: { kind: 'reply-lost' } });
    expect(await errorOf(signTimesheet(client, input, scope))).toMatchObject({ effect: 'unknown' });
    await listLate(bed(), 'timesheets.signatures');
    const later = lookingAgain(await errorOf(signTimesheet(client, input, again)));
    await signTimesheet(client, input, later);
    expect(await effects(bed(), 'signature-created')).toBe(1);
  });

  test('one that the run before a reset has made, and which is listed late, is not made again', async () => {
    const { client } = bed();
    await signTimesheet(client, { ...input, asked }, scope);
    await listLate(bed(), 'timesheets.signatures');
    const reset = { ...input, asked: { ...asked, afterReset: true } } as const;
    const ended = await errorOf(signTimesheet(client, reset, scope));
    await signTimesheet(client, reset, { ...lookingAgain(ended), attempt: 1 });
    expect(await effects(bed(), 'signature-created')).toBe(1);
  });

  test('one that a run before of the same workflow id has made a moment ago, and which is listed late, is not made again', async () => {
    const { client } = bed();
    await signTimesheet(client, input, scope);
    await listLate(bed(), 'timesheets.signatures');
    const later = lookingOnce(await errorOf(signTimesheet(client, input, scope, follows)), 10_000);
    await signTimesheet(client, input, later, follows);
    expect(await effects(bed(), 'signature-created')).toBe(1);
  });

  test('one that was answered, and is shown late, is read again and not made again', async () => {
    const { client, control } = bed();
    const gone = { route: 'timesheets.signature', action: { kind: 'status', status: 404 } } as const;
    await control.addFault(gone);
    const later = { ...lookingAgain(await errorOf(signTimesheet(client, input, scope))), attempt: 1 };
    await listLate(bed(), 'timesheets.signatures');
    expect(await signTimesheet(client, input, later)).toMatchObject({ fileName: 'timesheet-1.png' });
    expect(await effects(bed(), 'signature-created')).toBe(1);
    await control.addFault(gone);
    const lastLook = { ...later, lastDetails: { ...later.lastDetails, looked: { attempt: 1, looks: 6 } } };
    expect(await errorOf(signTimesheet(client, input, lastLook))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('what is no base64 is not sent', async () => {
    const broken = { ...input, imageBase64: 'not base64!' };
    expect(await errorOf(signTimesheet(bed().client, broken, scope))).toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect((await bed().control.requests())['timesheets.sign']).toBeUndefined();
  });
});
