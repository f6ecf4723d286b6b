// Drop here: the part of the server that takes jobs from the page.
import { relative } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../../../activities/host/clock';
import { SHARE_DEFAULTS } from '../../../activities/share/share-config';
import type { DropShare, dropRoutes } from '../contract/drop';
import {
  type ConsoleDeps,
  type ConsoleModule,
  ConsoleProblem,
  type ConsoleShare,
  type Door,
} from '../serve/module';
import { openShareOf } from '../serve/share-of';
import { sendFile } from '../serve/sheet-files';
import { texts } from '../texts/texts';
import {
  isTheirs,
  requireBegun,
  requireKnown,
  requireUpload,
  throwDropProblem,
  toDetail,
  toSummary,
} from './find-upload';
import { addTestSheet, readTest, startTest } from './test-upload';
import { addUploadBytes } from './upload-bytes';
import { UploadTurns } from './upload-turns';

const SWEEP_EVERY_MS = 60 * 60_000;

export function createDrop(deps: ConsoleDeps): ConsoleModule<typeof dropRoutes> {
  const { shares, logger, changed } = deps;
  const turns = new UploadTurns(systemClock.monotonicMs);
  const sweeping = setInterval(() => void sweep(deps), SWEEP_EVERY_MS).unref();
  return {
    handlers: {
      'GET /api/drop': async (_, person) => {
        const theirs = shares().filter(({ config }) => person.may('answer', config.name));
        const uploads = await Promise.all(
          theirs.map(async ({ share }) => {
            if (share === undefined) return [];
            const states = await share.uploads.list().catch(() => []);
            const jobs = states.filter(({ sent, replaces }) => sent === null && replaces === undefined);
            const open = jobs.filter(state => isTheirs(state, share.name, person));
            return await Promise.all(open.map(state => toSummary(share, state, { person, turns })));
          }),
        );
        return { shares: theirs.map(toDropShare), uploads: uploads.flat() };
      },
      'POST /api/uploads/:share': async ({ params, body }, person) => {
        const share = openShareOf(deps, params.share);
        const begun = await share.uploads.begin(body, person, body.upload).catch(throwDropProblem);
        const state = requireBegun(begun);
        const { id } = state;
        logger.info(
          { event: 'upload-begun', share: share.name, upload: id, who: person.name },
          'A job is coming',
        );
        changed(['drop']);
        return await toDetail(share, state, { person, turns });
      },
      'GET /api/uploads/:share/:upload': async ({ params }, person) => {
        const share = openShareOf(deps, params.share);
        const upload = await requireKnown(share, params.upload);
        return await toDetail(share, upload.state, { person, turns });
      },
      'POST /api/uploads/:share/:upload/take-over': async ({ params, body }, person) => {
        const share = openShareOf(deps, params.share);
        const upload = await requireUpload(share, params.upload, person);
        turns.takeOver(upload.id, body.window);
        return await toSummary(share, upload.state, { person, turns });
      },
      'POST /api/uploads/:share/:upload/send': async ({ params }, person) => {
        const share = openShareOf(deps, params.share);
        const upload = await requireUpload(share, params.upload, person);
        const sent = await upload.finish().catch(throwDropProblem);
        if (sent === undefined) throw new ConsoleProblem(409, texts.drop.notWhole);
        turns.end(upload.id);
        changed(['drop', 'jobs']);
        return await toSummary(share, upload.state, { person, turns });
      },
      'POST /api/uploads/:share/:upload/test': async ({ params, body }, person) => {
        const share = openShareOf(deps, params.share);
        const upload = await requireUpload(share, params.upload, person);
        await startTest(deps, share, upload, body.sha256).catch(throwDropProblem);
        return { started: true };
      },
      'GET /api/tests/:share/:upload': async ({ params }) => {
        const share = openShareOf(deps, params.share);
        return await readTest(deps, share, await requireKnown(share, params.upload));
      },
      'DELETE /api/uploads/:share/:upload': async ({ params, query }, person) => {
        const share = openShareOf(deps, params.share);
        await requireUpload(share, params.upload, person);
        if (query.window !== undefined) turns.take(params.upload, query.window);
        if (!(await share.uploads.discard(params.upload).catch(throwDropProblem)))
          throw new ConsoleProblem(409, texts.drop.sentAlready);
        turns.end(params.upload);
        changed(['drop']);
        return { discarded: true };
      },
    },
    extend: (server, door) => {
      addUploadBytes(server, door, deps, turns);
      addTestSheet(server, door, deps);
      addTemplate(server, door, deps);
    },
    close: async () => clearInterval(sweeping),
  };
}

function toDropShare({ config, share, why }: ConsoleShare): DropShare {
  const drop = config.drop ?? SHARE_DEFAULTS.drop;
  return {
    name: config.name,
    folder: share === undefined ? drop : relative(config.folder, share.dropFolder) || drop,
    why: share === undefined ? (why ?? texts.drop.isAway) : null,
    maxFileBytes: config.maxFileBytes,
    template: config.register?.template ?? null,
  };
}

function addTemplate(server: FastifyInstance, door: Door, deps: ConsoleDeps): void {
  server.get<{ Params: { readonly share: string } }>('/api/templates/:share', async (request, reply) => {
    door.person(request, 'answer', request.params.share);
    const { config, readTemplate } = openShareOf(deps, request.params.share);
    const name = config.register?.template;
    const bytes = name === undefined ? undefined : await readTemplate().catch(throwDropProblem);
    if (name === undefined || bytes === undefined) throw new ConsoleProblem(404, texts.drop.noTemplate);
    return await sendFile(reply, { name, bytes });
  });
}

async function sweep({ shares, logger }: ConsoleDeps): Promise<void> {
  for (const { share } of shares()) {
    await share?.uploads.sweep().catch((error: unknown) => {
      logger.warn({ event: 'uploads-not-swept', share: share.name, error }, 'Old uploads were not removed');
    });
  }
}
