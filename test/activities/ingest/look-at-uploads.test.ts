// Reading uploads at once: all pages of the answer, and nothing by itself that a page has shown.
import { readTogether } from '../../../activities/ingest/look-at-uploads';
import type { DocumentUpload } from '../../../activities/service/endpoints/document-uploads';
import type { Sender } from '../../../activities/service/service-client';
import type { UploadId } from '../../../workflows/contract';

const PAGE = 40;

/** A service that gives fewer a page than it is asked for, as the contract allows. */
function pagingService(ids: readonly string[]) {
  const asked: string[] = [];
  const client = {
    send: async (endpoint: { readonly name: string }, request: { readonly search?: string }) => {
      asked.push(`${endpoint.name}${request.search ?? ''}`);
      const first = Number(request.search?.slice(1) ?? 0);
      const data = ids.slice(first, first + PAGE).map(id => ({ id, latestEventId: `E-${id}` }));
      return { data, nextSearch: first + PAGE < ids.length ? `?${first + PAGE}` : undefined };
    },
  };
  return { client: client as unknown as Sender, asked };
}

test('what is on the second and the third page is found there', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `U${index}`);
  const { client, asked } = pagingService(ids);
  const found = await readTogether(
    { client, withoutBulk: new Map() },
    { companyId: '1', projectId: '2' },
    ids.map((id, index) => ({ index, uploadId: id as UploadId })),
    new AbortController().signal,
  );
  if (found === 'unsupported') throw new Error('It is supported.');
  expect([...found].map(([index, upload]) => [index, (upload as DocumentUpload).id])).toEqual(
    ids.map((id, index) => [index, id]),
  );
  expect(asked).toEqual(['uploads.selected', 'uploads.selected?40', 'uploads.selected?80']);
});
