// Has what was chosen tested: its sheets go ahead, checksums are worked out here, a worker judges the rest.
import { signal } from '@preact/signals';
import type { TestState, UploadDetail } from '../../../contract/drop';
import { ask } from '../../shell/api';
import { tellNumber } from '../../shell/format';
import { reader } from '../../shell/reader';
import { sendBytes, WINDOW } from '../../shell/send-bytes';
import { texts } from '../../shell/texts';
import { leaveAddress, showAddress } from './address-of';
import { beginUpload, wasDrawnHere } from './begin-upload';
import type { Choice } from './chosen-files';
import { hashSome, SHEET } from './hash-some';
import { discardUpload, isSameChoice } from './sending';

const LOOK_EVERY_MS = 700;
const MOST_SHEET_BYTES = 32_000_000;
/** Of a test that was refused, with its words; of more it says how many. */
const MOST_FAULTS = 5;

type Report = Extract<TestState, { readonly state: 'done' }>['report'];

export interface Testing {
  readonly phase: 'preparing' | 'running' | 'done' | 'stopped';
  /** Absent until it is begun. */
  readonly upload?: string;
  readonly waits: string | null;
  readonly report?: Report;
  /** Address of the sheet. */
  readonly sheet?: string;
  readonly problem?: string;
}

export const testing = signal<Testing | undefined>(undefined);

interface Tested {
  readonly upload: UploadDetail;
  /** Begun for the test alone: nobody has asked to send it. */
  readonly isForTest: boolean;
}

let tested: Tested | undefined;
/** Counts the tests: of several, only the last one is shown. */
let turn = 0;

export function endTesting(): void {
  turn += 1;
  if (tested !== undefined) leaveAddress('tests', tested.upload);
  testing.value = undefined;
  tested = undefined;
}

/** Ends the test, and removes the upload where it was begun for the test alone. */
export function giveUpTesting(): void {
  const before = tested;
  endTesting();
  if (before?.isForTest === true) void discard(before.upload);
}

/** The room that the share keeps for it is free again before anything else is begun. */
async function freeTested(): Promise<void> {
  const before = tested;
  if (before?.isForTest !== true) return;
  leaveAddress('tests', before.upload);
  await discard(before.upload);
  if (tested === before) tested = undefined;
}

/** Nobody has asked for it, so not while another window sends it. What stays, the server sweeps in time. */
async function discard(upload: UploadDetail): Promise<void> {
  await discardUpload(upload, WINDOW).catch(() => undefined);
}

/**
 * The upload to send, as the server has it by now: the one that was begun for the test, if no file was
 * changed since, or else `known`; undefined where a new one is to be begun. Any other one of a test is given
 * up before. @throws ApiProblem
 */
export async function uploadToSend(
  choice: Choice,
  known: UploadDetail | undefined,
): Promise<UploadDetail | undefined> {
  const isTested = tested !== undefined && isSameChoice(choice, tested.upload);
  const begun = isTested ? tested?.upload : known;
  if (!isTested) await freeTested();
  if (begun === undefined) return undefined;
  const { share, upload } = begun;
  return await ask('GET /api/uploads/:share/:upload', { params: { share, upload } });
}

export async function startTesting(
  share: string,
  choice: Choice,
  known: UploadDetail | undefined,
): Promise<void> {
  turn += 1;
  const mine = turn;
  if (tested !== undefined) leaveAddress('tests', tested.upload);
  const tell = (told: Testing) => {
    if (mine === turn) testing.value = told;
  };
  tell({ phase: 'preparing', waits: null });
  try {
    await requireUnchanged(choice);
    const begun = await uploadFor(share, choice, known, () => mine === turn);
    if (begun === undefined) return;
    const { upload } = begun;
    tell({ phase: 'preparing', upload, waits: null });
    await sendSheets(begun, choice);
    const params = { share, upload };
    const sha256 = await hashSome(choice.files);
    await ask('POST /api/uploads/:share/:upload/test', { params, body: { sha256 } });
    if (mine === turn) showAddress('tests', begun);
    for (;;) {
      const state = await ask('GET /api/tests/:share/:upload', { params });
      if (mine !== turn) return;
      if (state.state === 'done') {
        tell({ phase: 'done', upload, waits: null, report: state.report, sheet: state.sheet });
        return;
      }
      if (state.state === 'failed') throw new Error(state.why);
      tell({ phase: 'running', upload, waits: state.waits });
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { faults = [] } = error as { readonly faults?: readonly { readonly at?: string; text: string }[] };
    const told = faults
      .slice(0, MOST_FAULTS)
      .map(({ at, text }) => `${at === undefined ? '' : `${at}: `}${text}`);
    const more = faults.length - told.length;
    if (more > 0) told.push(texts.drop.andMore(tellNumber(more, reader())));
    tell({
      phase: 'stopped',
      ...(tested === undefined ? {} : { upload: tested.upload.upload }),
      waits: null,
      problem: [error.message, ...told].join(' '),
    });
  }
}

/**
 * The upload of the last test where no file was changed since; else `known` or a new one, and that of the
 * last test is removed. Undefined where `isWanted` says no by then.
 */
async function uploadFor(
  share: string,
  choice: Choice,
  known: UploadDetail | undefined,
  isWanted: () => boolean,
): Promise<UploadDetail | undefined> {
  if (tested !== undefined && isSameChoice(choice, tested.upload)) return tested.upload;
  await freeTested();
  const begun: Tested =
    known === undefined
      ? { upload: await beginUpload(share, choice), isForTest: true }
      : { upload: known, isForTest: wasDrawnHere(known.upload) };
  if (isWanted()) {
    tested = begun;
    return begun.upload;
  }
  if (begun.isForTest) void discard(begun.upload);
  return undefined;
}

/** A browser reads no file that was changed since it was chosen. @throws Error that names such a sheet. */
async function requireUnchanged({ files }: Choice): Promise<void> {
  for (const { path, file } of files.filter(each => SHEET.test(each.path))) {
    await file
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw new Error(texts.drop.chooseAnew(path));
      });
  }
}

async function sendSheets({ share, upload, all }: UploadDetail, { files }: Choice): Promise<void> {
  for (const [index, { path, sizeBytes }] of all.entries()) {
    const file = files.find(each => each.path === path)?.file;
    if (file === undefined || sizeBytes === 0 || sizeBytes > MOST_SHEET_BYTES || !SHEET.test(path)) continue;
    await sendBytes({ share, upload, index, path, file }).ended;
  }
}
