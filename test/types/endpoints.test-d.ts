// What the types of the endpoints refuse, and what a call of one takes. Nothing here runs: `npm run check`
// compiles it, and an expected error that does not come is one itself.
import { createRevisions } from '../../activities/service/endpoints/document-revisions';
import { createUploads, patchUploads } from '../../activities/service/endpoints/document-uploads';
import type { Sender } from '../../activities/service/service-client';
import type { EventId, FileUploadId, UploadId } from '../../workflows/contract';

declare const client: Sender;
declare const uploadId: UploadId;
declare const eventId: EventId;
declare const fileUploadId: FileUploadId;

const params = { companyId: '4711', projectId: '7001' };
const rest = { params, companyId: '4711' };

/** A call as it should be, to see that the errors below are those that are meant. */
export async function whatCompiles(): Promise<readonly UploadId[]> {
  await client.send(patchUploads, { ...rest, body: { updates: [{ id: uploadId, fileUploadId }] } });
  await client.send(createRevisions, {
    ...rest,
    body: { uploads: [{ id: uploadId, latestEventId: eventId }] },
  });
  const created = await client.send(createUploads, {
    ...rest,
    body: { uploads: [{ fileName: 'A-101.pdf', mimeType: 'application/pdf' }] },
  });
  return created.data.map(upload => upload.id);
}

export async function wrongParameters(): Promise<void> {
  const body = { uploads: [{ fileName: 'A-101.pdf', mimeType: 'application/pdf' }] };
  // @ts-expect-error The project is missing: it is a part of the path.
  await client.send(createUploads, { companyId: '4711', params: { companyId: '4711' }, body });
  await client.send(createUploads, {
    companyId: '4711',
    // @ts-expect-error The path has no such part.
    params: { companyId: '4711', projectId: '7001', projectName: 'Tower' },
    body,
  });
  // @ts-expect-error An endpoint without a query takes none.
  await client.send(createUploads, { ...rest, query: { page: 2 }, body });
  // @ts-expect-error The company goes with every request, as a header.
  await client.send(createUploads, { params, body });
}

export async function wrongBodies(): Promise<void> {
  await client.send(patchUploads, {
    ...rest,
    // @ts-expect-error A file's upload is not a document's.
    body: { updates: [{ id: fileUploadId, fileUploadId }] },
  });
  await client.send(patchUploads, {
    ...rest,
    // @ts-expect-error An upload becomes COMPLETED or stays as it is.
    body: { updates: [{ id: uploadId, uploadStatus: 'INCOMPLETE' }] },
  });
  await client.send(patchUploads, {
    ...rest,
    // @ts-expect-error It would write to other people's uploads.
    body: { updates: [{ id: uploadId }], updateAll: true },
  });
  await client.send(createRevisions, {
    ...rest,
    // @ts-expect-error The event that was read last comes with each upload.
    body: { uploads: [{ id: uploadId }] },
  });
  await client.send(createRevisions, {
    ...rest,
    // @ts-expect-error Whoever ends other people's workflows gives the reason and the status.
    body: { uploads: [{ id: uploadId, latestEventId: eventId, termination: { reason: 'Superseded' } }] },
  });
}
