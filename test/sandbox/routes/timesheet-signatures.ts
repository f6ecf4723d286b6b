/** Signatures of timesheets: list, show, create with an image as multipart/form-data. */
import { z } from 'zod';
import { checkPlainBody, refusePlainly, wholeNumber } from '../http/loose-values';
import type { ReceivedFile } from '../http/multipart';
import { GENERAL_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { requirePlainProject } from '../rules/access';
import { FIRST_IDS } from '../timesheets/content';
import { wireSignature } from '../timesheets/wire';
import type { World } from '../world';
import { record } from './timesheets';

const SIGNATURES = '/rest/v1.0/projects/:project/timesheets/signatures';
const common = { origin: 'api', access: 'company' } as const;

export const timesheetSignatureRoutes: readonly Route[] = [
  {
    ...common,
    key: 'timesheets.signatures',
    method: 'GET',
    path: SIGNATURES,
    body: 'none',
    handle(request, world) {
      const { id } = requirePlainProject(world, request);
      const rows = [...world.signatures.values()]
        .filter(({ projectId }) => projectId === id)
        .map(signature => wireSignature(world, signature));
      return pageAnswer(rows, request, world, GENERAL_PAGES, signatures => signatures);
    },
  },
  {
    ...common,
    key: 'timesheets.signature',
    method: 'GET',
    path: `${SIGNATURES}/:signature`,
    body: 'none',
    handle(request, world) {
      const { id } = requirePlainProject(world, request);
      const signature = world.signatures.get(request.params.signature ?? '');
      if (signature?.projectId !== id) throw refusePlainly(404, 'There is no such signature');
      return { status: 200, json: wireSignature(world, signature) };
    },
  },
  {
    ...common,
    key: 'timesheets.sign',
    method: 'POST',
    path: SIGNATURES,
    body: 'json-or-files',
    handle: sign,
  },
];

const file = z.custom<ReceivedFile>(
  value => typeof value === 'object' && value !== null && 'sha256' in value,
  'must be a file, sent as multipart/form-data',
);
const signBody = z.strictObject({
  signature: z.strictObject({
    data: file,
    user_id: wholeNumber,
    signature_text: z.string().max(4_000).optional(),
  }),
});

function sign(request: RouteRequest, world: World) {
  const project = requirePlainProject(world, request);
  const { data, user_id: userId, signature_text: text } = checkPlainBody(signBody, request.body).signature;
  if (!data.contentType.startsWith('image/') || data.sizeBytes === 0) {
    throw refusePlainly(422, 'data must be an image');
  }
  if (!project.users.some(({ id }) => id === userId)) throw refusePlainly(422, 'there is no such user');
  const signature = world.signatures.put({
    id: String(FIRST_IDS.signature + world.signatures.size),
    projectId: project.id,
    userId,
    text: text ?? null,
    fileName: data.fileName,
    sha256: data.sha256,
    sizeBytes: data.sizeBytes,
    createdBy: request.caller.userId,
  });
  record(world, request, 'signature-created', { id: signature.id, sha256: data.sha256 });
  return { status: 201, json: wireSignature(world, signature) };
}
