// The test run of an upload: a run of a worker, which knows the service; its result lies on the share.
import type { FastifyInstance } from 'fastify';
import type { OpenUpload } from '../../../activities/share/jobs/uploads/open-upload';
import type { Share } from '../../../activities/share/share';
import { testReport } from '../../../activities/test-run/test-report';
import { SERVICE_TASK_QUEUE } from '../../../workflows/contract';
import { escapeMarkdown } from '../../../workflows/run/decide/escape-markdown';
import { runProgressQuery } from '../../../workflows/run/run-progress-contract';
import type { CheckFilesInput } from '../../../workflows/test-run/check-files-contract';
import type { TestState } from '../contract/drop';
import { type ConsoleDeps, ConsoleProblem, type Door } from '../serve/module';
import { openShareOf } from '../serve/share-of';
import { sendFile } from '../serve/sheet-files';
import { texts } from '../texts/texts';
import { requireKnown } from './find-upload';

const MOST_SUMMARY_UNITS = 60;
export async function startTest(
  { temporal }: Pick<ConsoleDeps, 'temporal'>,
  share: Share,
  upload: OpenUpload,
  sha256: Readonly<Record<string, string>>,
): Promise<void> {
  const { name, files } = upload.state;
  await upload.tests.begin(
    files.map(({ path }) => (Object.hasOwn(sha256, path) ? (sha256[path] ?? null) : null)),
  );
  const input: CheckFilesInput = { share: share.name, folder: name, upload: upload.id };
  const client = await requireTemporal(temporal);
  await client.workflow.start('checkFilesWorkflow', {
    workflowId: idOf(share, upload),
    taskQueue: SERVICE_TASK_QUEUE,
    args: [input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Test of ${escapeMarkdown(name, MOST_SUMMARY_UNITS)} for share ${share.name}`,
    memo: { share: share.name },
  });
}

export async function readTest(
  { temporal }: Pick<ConsoleDeps, 'temporal'>,
  share: Share,
  upload: OpenUpload,
): Promise<TestState> {
  const { name } = upload.state;
  const report = testReport.safeParse(await upload.tests.read());
  if (report.success) {
    const sheet = `/api/tests/${encodeURIComponent(share.name)}/${upload.id}/sheet`;
    return { state: 'done', name, report: report.data, sheet };
  }
  const client = await requireTemporal(temporal);
  const handle = client.workflow.getHandle(idOf(share, upload));
  const run = await handle.describe().catch(() => undefined);
  if (run === undefined) throw new ConsoleProblem(404, texts.drop.test.none);
  if (run.status.name !== 'RUNNING') {
    // It may have ended between the two looks.
    const late = testReport.safeParse(await upload.tests.read());
    if (late.success) return await readTest({ temporal }, share, upload);
    const why = texts.drop.test.failed;
    return { state: 'failed', name, why };
  }
  const progress = await handle.query(runProgressQuery).catch(() => undefined);
  return { state: 'running', name, waits: progress?.blocked?.reason.text ?? null };
}

export function addTestSheet(server: FastifyInstance, door: Door, deps: ConsoleDeps): void {
  server.get<{ Params: { readonly share: string; readonly upload: string } }>(
    '/api/tests/:share/:upload/sheet',
    async (request, reply) => {
      const { share: name, upload: id } = request.params;
      door.person(request, 'answer', name);
      const upload = await requireKnown(openShareOf(deps, name), id);
      const report = testReport.safeParse(await upload.tests.read());
      const bytes = await upload.tests.readSheet();
      if (!report.success || bytes === undefined) throw new ConsoleProblem(404, texts.drop.test.none);
      return await sendFile(reply, { name: `${upload.state.name}-TEST.${report.data.format}`, bytes });
    },
  );
}

function idOf({ name, config }: Share, { id }: OpenUpload): string {
  return `check/${config.project.projectId}/${name}/${id}`;
}

async function requireTemporal(temporal: ConsoleDeps['temporal']) {
  return await temporal().catch(() => {
    throw new ConsoleProblem(503, texts.drop.test.cannotRun);
  });
}
