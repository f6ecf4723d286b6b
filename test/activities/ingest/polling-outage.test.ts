// The minutes of polling are our own looking: what the service is away in the
// middle of it does not use them up.
import { ProjectLookups } from '../../../activities/ingest/project-lookups';
import { readUploads } from '../../../activities/ingest/read-uploads';
import { NotYetError } from '../../../activities/scope/not-yet';
import type { DocumentUpload } from '../../../activities/service/endpoints/document-uploads';
import { ServiceUnavailableError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import type { UploadId } from '../../../workflows/contract';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';

const bed = useSandboxClient();
const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const times = { firstLookMs: 5_000, everyMs: 10_000, typicalMs: 28_000, forMs: 180_000 };

test('an hour away between two looks costs nothing; after it, looking goes on where it stood', async () => {
  let looks = 0;
  let isAway = false;
  const upload = {
    id: 'u' as UploadId,
    uploadStatus: 'COMPLETED',
    fields: [],
    integrationStatuses: { ml: 'in_progress', filenameScraping: null },
    latestEventId: 'e',
  } as unknown as DocumentUpload;
  const send = async () => {
    if (isAway) {
      throw new ServiceUnavailableError('away', { fault: 'network', effect: 'not-sent' });
    }
    looks++;
    if (looks % 4 === 0) isAway = true;
    return { data: [upload], status: 200 };
  };
  let reported: unknown;
  const attempt = async () =>
    await readUploads(
      {
        client: { send } as unknown as Sender,
        lookups: new ProjectLookups(bed().client),
        withoutBulk: new Map(),
        withoutList: new Map(),
        sleep: async () => undefined,
      },
      {
        project,
        defaults: {},
        naming: 'file',
        items: [
          {
            index: 0,
            uploadId: 'u' as UploadId,
            fileName: 'a.pdf',
            mimeType: 'application/pdf',
            values: {},
          },
        ],
        poll: { times, lookedMs: 0, mayPart: false },
      },
      {
        signal: new AbortController().signal,
        attempt: 1,
        lastDetails: reported,
        temporalMs: () => Date.now(),
        isOfOtherRun: false,
        report: details => {
          reported = details;
        },
        comeBack: (inMs, details, why) => {
          reported = details;
          throw new NotYetError(why, Date.now() + inMs);
        },
      },
    );

  let outages = 0;
  for (;;) {
    try {
      const { lookedMs } = await attempt();
      expect(lookedMs).toBeGreaterThanOrEqual(times.forMs);
      break;
    } catch (error: unknown) {
      if (error instanceof NotYetError) continue;
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      // Sixty attempts in vain are an hour: the time looked stays what it was.
      const before = reported;
      for (let n = 0; n < 60; n++) await expect(attempt()).rejects.toThrow('away');
      expect(reported).toEqual(before);
      isAway = false;
      outages++;
    }
  }
  expect(outages).toBeGreaterThan(2);
  // After 5, 14, 19, 24, 29, 34, 39 and 44 s, then every 10 s up to 180: as many as without any outage.
  expect(looks).toBeGreaterThanOrEqual(20);
  expect(looks).toBeLessThanOrEqual(22);
});
