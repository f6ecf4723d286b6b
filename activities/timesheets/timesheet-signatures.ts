// Signatures: an image that stands for a person's word, uploaded once.
import { lookAgainWhereEarly } from '../scope/look-again';
import { Making, type MakingDeps, type MakingScope } from '../scope/making';
import { isNotThere } from '../scope/refusal-reason';
import {
  createTimesheetSignature,
  listTimesheetSignatures,
  SIGNATURE_FIELD,
  showTimesheetSignature,
} from '../service/endpoints/timesheet-signatures';
import { InvalidRequestError } from '../service/errors';
import { fetchPages, LIST_PAGE } from '../service/pages';
import type { FilePart } from '../service/send/multipart-body';
import type { Sender } from '../service/service-client';
import { inProject, type Scope } from './timesheet-parts';
import type { SignTimesheetInput, SignTimesheetResult } from './timesheets-api';

/** What an attempt tells the next one: the id of the signature that it has made and could not read back. */
interface Told {
  readonly signed?: string;
}

/**
 * Looks through the list for the file name at every attempt, the first one too: a run started again must not
 * sign again. Reads the new signature back before it counts, and again for half a minute where it is not
 * there: it may be shown late.
 */
export async function signTimesheet(
  client: Sender,
  input: SignTimesheetInput,
  scope: Scope & MakingScope,
  deps: MakingDeps = {},
): Promise<SignTimesheetResult> {
  const bytes = Buffer.from(input.imageBase64, 'base64');
  if (bytes.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(input.imageBase64)) {
    throw new InvalidRequestError('the signature is not base64', { effect: 'not-sent' });
  }
  const call = inProject(input.project, scope);
  const readBack = async (signatureId: string): Promise<SignTimesheetResult> => {
    try {
      const params = { ...call.params, signatureId };
      const { data: stored } = await client.send(showTimesheetSignature, { ...call, params });
      return { signatureId: stored.id, fileName: stored.fileName };
    } catch (error: unknown) {
      if (isNotThere(error)) {
        const details: Told = { signed: signatureId };
        const why = `The signature ${signatureId} is not shown yet`;
        lookAgainWhereEarly(scope, why, { ...deps, details });
      }
      throw error;
    }
  };
  const { signed } = (scope.lastDetails ?? {}) as Told;
  if (signed !== undefined) return await readBack(signed);
  const making = new Making(scope, { asked: input.asked, ...deps });
  const known = await making.look(() => findByName(client, input, call));
  if (known !== undefined) return known;
  await making.waitUntilAllListed('signature');
  const image: FilePart = {
    field: SIGNATURE_FIELD,
    fileName: input.fileName,
    contentType: input.contentType,
    sizeBytes: bytes.length,
    open: async function* () {
      yield bytes;
    },
  };
  const { data } = await making.make(() =>
    client.send(createTimesheetSignature, {
      ...call,
      body: { userId: input.userId, ...(input.text === undefined ? {} : { text: input.text }) },
      files: [image],
    }),
  );
  return await readBack(data.id);
}

async function findByName(
  client: Sender,
  input: SignTimesheetInput,
  call: ReturnType<typeof inProject>,
): Promise<SignTimesheetResult | undefined> {
  const pages = fetchPages(client, listTimesheetSignatures, { ...call, query: { perPage: LIST_PAGE } });
  for await (const page of pages) {
    const found = page.find(({ fileName }) => fileName === input.fileName.normalize('NFC'));
    if (found !== undefined) return { signatureId: found.id, fileName: found.fileName };
  }
  return undefined;
}
