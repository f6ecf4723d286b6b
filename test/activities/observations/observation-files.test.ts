// What is looked for before it is made again, where the service keeps texts and names in its own way.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createObservationFileActivities } from '../../../activities/observations/observation-files';
import { NotFoundError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import { ShareError } from '../../../activities/share/files/share-error';

const project = { companyId: '5001', projectId: '7001' };
const FIELDS = { name: 'Büro'.normalize('NFD'), typeId: '2110', description: 'First line\r\nsecond line ' };
const ITEM = { id: 510001, name: 'Büro', description: 'First line\nsecond line', type_id: 2110 };

/** A service that answers by the names of endpoints, and what it was asked. */
function serviceWith(answers: Readonly<Record<string, unknown>>) {
  const asked: { readonly name: string; readonly query: unknown; readonly body: unknown }[] = [];
  const client: Sender = {
    send: async (endpoint, input) => {
      asked.push({ name: endpoint.name, query: input.query, body: input.body });
      if (answers[endpoint.name] === 'gone') throw new NotFoundError('no such item', { effect: 'rejected' });
      return { data: endpoint.response.parse(answers[endpoint.name]), status: 200 } as never;
    },
  };
  const activities = createObservationFileActivities({
    client,
    draining: new AbortController().signal,
    openAttachment: async path => {
      if (path === 'gone.jpg') throw new ShareError('file-missing', 'There is no file gone.jpg.');
      return {
        fileName: path,
        contentType: 'image/jpeg',
        sizeBytes: 0,
        sha256: '',
        open: async function* () {},
        close: async () => undefined,
      };
    },
  });
  const run = async <Input, Result>(
    work: (input: Input) => Promise<Result>,
    input: Input,
    { attempt = 1, heartbeatDetails }: { attempt?: number; heartbeatDetails?: unknown } = {},
  ) => {
    const environment = new MockActivityEnvironment({
      attempt,
      heartbeatDetails,
      workflowExecution: { workflowId: 'observation/7001/a', runId: 'run-1' },
    });
    return (await environment.run(work, input)) as Result;
  };
  return { activities, run, asked, names: () => asked.map(({ name }) => name) };
}

const asked = { runId: 'run-1' };
const REPEATED = { attempt: 2, heartbeatDetails: { lookedIn: 2 } };

/** With what one foreman has imported, in the moment in which another does. */
function rowsOf(fields: object) {
  const input = { project, fields: { ...FIELDS, ...fields }, validate: false, knownIds: [], attachments: [] };
  return { ...input, asked };
}

test('what another run makes at the same moment is not taken for ours', async () => {
  const answers = { 'observations.list': [ITEM], 'observations.create': { ...ITEM, id: 510002 } };
  const service = serviceWith(answers);
  expect(await service.run(service.activities.createObservation, rowsOf({}))).toMatchObject({
    kind: 'made',
    observation: { id: '510002' },
  });
  expect(service.names()).toEqual(['observations.create']);
});

test.each([
  ['of an attempt before', {}, { attempt: 2 }],
  ['before the run was reset', { asked: { runId: 'run-1', afterReset: true } }, {}],
  ['for the run that a reset has replaced', { asked: { runId: 'run-0' } }, {}],
  ['before a person repaired something', { asked: { runId: 'run-1', again: true } }, {}],
  ['for a run of the release before', { asked: undefined }, {}],
])('what may have been made %s is looked for', async (_, more, attempt) => {
  const service = serviceWith({ 'observations.list': [ITEM], 'observations.show': ITEM });
  const input = { ...rowsOf({}), ...more } as ReturnType<typeof rowsOf>;
  expect(await service.run(service.activities.createObservation, input, attempt)).toMatchObject({
    kind: 'found',
    observation: { id: '510001' },
  });
});

test('what is in another place than asked for is another hazard, also where ours may have been made', async () => {
  const there = { ...ITEM, location: { id: 11 } };
  const service = serviceWith({
    'observations.list': [there],
    'observations.create': { ...there, id: 510002 },
  });
  const input = rowsOf({ locationId: '12' });
  await expect(
    service.run(service.activities.createObservation, input, { attempt: 2 }),
  ).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(service.names()).toEqual(['observations.list']);
  expect(await service.run(service.activities.createObservation, input, REPEATED)).toMatchObject({
    kind: 'made',
  });
});

test('of two that can be ours the older is taken, and the other one told', async () => {
  const twins = [{ ...ITEM, id: 510003 }, ITEM];
  const service = serviceWith({ 'observations.list': twins, 'observations.show': ITEM });
  expect(await service.run(service.activities.createObservation, rowsOf({}), { attempt: 2 })).toEqual({
    kind: 'found',
    observation: expect.objectContaining({ id: '510001' }),
    alike: ['510003'],
  });
});

test('a response that somebody else has logged in the same words is another one', async () => {
  const answers = { 'responseLogs.list': [{ id: 1, comment: 'Done' }], 'responseLogs.create': { id: 2 } };
  const service = serviceWith(answers);
  const input = { project, id: '510001', comment: 'Done', knownIds: [], attachments: [], asked };
  expect(await service.run(service.activities.addResponse, input)).toEqual({ kind: 'made' });
  expect(await service.run(service.activities.addResponse, input, { attempt: 2 })).toEqual({ kind: 'found' });
});

test('a response that is not listed yet is looked for once more before it is logged again', async () => {
  const service = serviceWith({ 'responseLogs.list': [], 'responseLogs.create': { id: 2 } });
  const input = { project, id: '510001', comment: 'Done', knownIds: [], attachments: [], asked };
  const log = service.activities.addResponse;
  await expect(service.run(log, input, { attempt: 2 })).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(service.names()).toEqual(['responseLogs.list']);
  expect(await service.run(log, input, REPEATED)).toEqual({ kind: 'made' });
});

test('an item whose texts the service has tidied, and that shows the id of its type alone, is found', async () => {
  const service = serviceWith({ 'observations.list': [ITEM], 'observations.show': ITEM });
  const input = { project, fields: FIELDS, validate: false, knownIds: [], attachments: [] };
  expect(await service.run(service.activities.createObservation, input)).toMatchObject({ kind: 'found' });
  expect(service.names()).toEqual(['observations.list', 'observations.show']);
  expect(service.asked[0]?.query).toMatchObject({ search: 'Büro'.normalize('NFC'), perPage: 100 });
});

test('a response whose comment the service has tidied is found', async () => {
  const service = serviceWith({ 'responseLogs.list': [{ id: 1, comment: 'Fixed,\nand tight' }] });
  const input = { project, id: '510001', comment: 'Fixed,\r\nand tight', knownIds: [], attachments: [] };
  expect(await service.run(service.activities.addResponse, input)).toEqual({ kind: 'found' });
});

test('a file is attached to an item that shows the id of its type alone', async () => {
  const service = serviceWith({ 'observations.show': ITEM, 'observations.update': ITEM });
  const input = { project, id: '510001', attachments: ['a.jpg'] };
  expect(await service.run(service.activities.attachFiles, input)).toMatchObject({ kind: 'done' });
  expect(service.asked.at(-1)?.body).toMatchObject({ fields: { typeId: '2110' } });
});

test('what is to be done about files that are missing is not to make the item again', async () => {
  const service = serviceWith({ 'observations.show': ITEM });
  const input = { project, id: '510001', attachments: ['gone.jpg'] };
  expect(await service.run(service.activities.attachFiles, input)).toMatchObject({
    kind: 'refused',
    reason: {
      code: 'file-missing',
      fix: 'Look at the item in the service, and attach there what is missing.',
    },
  });
});

test('files that an item shows late, once an answer was lost, are not sent again at once', async () => {
  const service = serviceWith({ 'observations.show': ITEM, 'observations.update': ITEM });
  const input = { project, id: '510001', attachments: ['a.jpg'], asked };
  const attach = service.activities.attachFiles;
  await expect(service.run(attach, input, { attempt: 2 })).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(service.names()).toEqual(['observations.show']);
  expect(await service.run(attach, input, REPEATED)).toMatchObject({ kind: 'done' });
  expect(service.names()).toEqual(['observations.show', 'observations.show', 'observations.update']);
});

test('files that went with the item are not sent again at once where the answer does not show them', async () => {
  const service = serviceWith({ 'observations.show': ITEM, 'observations.update': ITEM });
  const seen = { id: '510001', number: null, name: 'Büro', status: null, attachmentNames: [] };
  const input = { project, id: '510001', attachments: ['a.jpg'], seen, asked };
  const attach = service.activities.attachFiles;
  await expect(service.run(attach, input)).rejects.toMatchObject({ type: 'NOT_YET' });
  expect(service.names()).toEqual(['observations.show']);
  // Where the answer shows them, nothing is asked.
  const whole = { ...input, seen: { ...seen, attachmentNames: ['a.jpg'] } };
  expect(await service.run(attach, whole)).toEqual({ kind: 'done', observation: whole.seen });
  expect(service.names()).toEqual(['observations.show']);
});

test('an item that we have made has not gone because one look says so', async () => {
  const service = serviceWith({ 'observations.show': 'gone', 'observations.list': [] });
  const input = { project, id: '510001', attachments: ['a.jpg'], asked };
  const attach = service.activities.attachFiles;
  await expect(service.run(attach, input)).rejects.toMatchObject({ type: 'NOT_YET' });
  const later = { attempt: 2, heartbeatDetails: { comebacks: 1, missedIn: 1 } };
  expect(await service.run(attach, input, later)).toEqual({
    kind: 'refused',
    reason: {
      code: 'gone',
      text: 'The observation 510001 has gone.',
      fix: 'See in the service whether it was deleted; if it is there, attach what is missing.',
    },
  });
});

test('files that the service has given other names are not attached again', async () => {
  const shown = { ...ITEM, attachments: [{ id: 1, name: 'plan_A.jpg' }] };
  const service = serviceWith({ 'observations.show': shown });
  const one = { project, id: '510001', attachments: ['plan A.jpg'] };
  expect(await service.run(service.activities.attachFiles, one)).toMatchObject({ kind: 'done' });
  const two = { ...one, attachments: ['plan A.jpg', 'plan B.jpg'] };
  expect(await service.run(service.activities.attachFiles, two)).toMatchObject({
    kind: 'refused',
    reason: { code: 'attachments-unclear' },
  });
  expect(service.names()).toEqual(['observations.show', 'observations.show']);
});
