// What goes on the wire: strictly what the contract has, nothing that could touch other people's documents.

import type { Endpoint } from '../../../../activities/service/endpoint';
import { createRevisions } from '../../../../activities/service/endpoints/document-revisions';
import {
  createUploads,
  patchUploads,
  readSelectedUploads,
} from '../../../../activities/service/endpoints/document-uploads';
import { createFileUpload, patchFileUpload } from '../../../../activities/service/endpoints/file-uploads';
import { requestToken } from '../../../../activities/service/endpoints/oauth';
import { listFieldValues } from '../../../../activities/service/endpoints/project-rules';
import { numericId } from '../../../../activities/service/endpoints/strict-values';
import { Secret } from '../../../../activities/service/secret';
import { toWireRequest } from '../../../../activities/service/send/wire-request';
import type { EventId, FileUploadId, UploadId } from '../../../../workflows/contract';

const project = { companyId: '5001', projectId: '7001' };
const U1 = '01HZZZZZZZZZZZZZZZZZZZZZZ1' as UploadId;
const sha256 = 'ab'.repeat(32);

function bodyOf<Params, Query, Body>(
  endpoint: Endpoint<Params, Query, Body, unknown>,
  params: Params,
  body: Body,
): unknown {
  return JSON.parse(toWireRequest(endpoint, { params, body, companyId: '5001' }).body ?? 'null');
}

test('Step 4', () => {
  expect(
    bodyOf(createUploads, project, { uploads: [{ fileName: 'ä & b.pdf', mimeType: 'application/pdf' }] }),
  ).toEqual({
    uploads: [{ file_name: 'ä & b.pdf', mime_type: 'application/pdf' }],
  });
});

test('Step 6', () => {
  expect(
    bodyOf(patchUploads, project, {
      updates: [
        {
          id: U1,
          fileUploadId: 'F1' as FileUploadId,
          uploadStatus: 'COMPLETED',
          fields: [{ fieldId: 'T', values: ['V1'] }],
        },
      ],
      onlyEmptyFields: true,
    }),
  ).toEqual({
    update_params: [
      { id: U1, file_upload_id: 'F1', upload_status: 'COMPLETED', fields: [{ id: 'T', values: ['V1'] }] },
    ],
    only_update_empty_fields: true,
  });
});

test('Step 8, with and without a termination', () => {
  const submission = { id: U1, latestEventId: 'E1' as EventId };
  expect(bodyOf(createRevisions, project, { uploads: [submission] })).toEqual({
    uploads: [{ id: U1, upload_latest_event_id: 'E1' }],
  });
  expect(
    bodyOf(createRevisions, project, {
      uploads: [{ ...submission, termination: { reason: 'superseded', statusId: 'S1' } }],
    }),
  ).toEqual({
    uploads: [
      {
        id: U1,
        upload_latest_event_id: 'E1',
        termination_reason: 'superseded',
        terminated_revision_status_id: 'S1',
      },
    ],
  });
});

test('Step 5', () => {
  expect(
    bodyOf(createFileUpload, project, {
      fileName: 'a.pdf',
      sizeBytes: 5,
      contentType: 'application/pdf',
      sha256,
      segments: [{ sizeBytes: 5, sha256 }],
    }),
  ).toEqual({
    file_name: 'a.pdf',
    file_size: 5,
    content_type: 'application/pdf',
    sha256,
    segments: [{ size: 5, sha256 }],
  });
  expect(bodyOf(patchFileUpload, { ...project, fileUploadId: 'F1' }, { partEtags: ['e1', null] })).toEqual({
    part_etags: ['e1', null],
  });
});

test('Step 3 takes a field by name and a keyword as data', () => {
  const wire = toWireRequest(listFieldValues, {
    params: { ...project, field: 'status' },
    query: { keyword: 'a&b=c', page: 2, perPage: 100 },
    companyId: '5001',
  });
  expect(wire.path).toBe('/rest/v2.0/companies/5001/projects/7001/document_management/fields/status/values');
  expect([...new URLSearchParams(wire.search)]).toEqual([
    ['page', '2'],
    ['per_page', '100'],
    ['keyword', 'a&b=c'],
  ]);
});

test('a token request is a form', () => {
  const wire = toWireRequest(requestToken, {
    params: {},
    body: {
      grant: 'refresh_token',
      clientId: 'c',
      clientSecret: new Secret('s&1'),
      refreshToken: new Secret('r+2'),
    },
    companyId: '',
  });
  expect(wire.contentType).toBe('application/x-www-form-urlencoded');
  expect([...new URLSearchParams(wire.body)]).toEqual([
    ['grant_type', 'refresh_token'],
    ['client_id', 'c'],
    ['client_secret', 's&1'],
    ['refresh_token', 'r+2'],
  ]);
});

test('100 uploads are one request', () => {
  const ids = Array.from({ length: 100 }, () => U1);
  expect(bodyOf(readSelectedUploads, project, { ids })).toEqual({ ids });
});

test.each([
  ['no uploads', () => bodyOf(createUploads, project, { uploads: [] })],
  ['101 uploads', () => bodyOf(readSelectedUploads, project, { ids: Array.from({ length: 101 }, () => U1) })],
  ['an id that is no ULID', () => bodyOf(patchUploads, project, { updates: [{ id: 'U1' as UploadId }] })],
  [
    'a quoted ETag',
    () => bodyOf(patchFileUpload, { ...project, fileUploadId: 'F1' }, { partEtags: ['"e1"'] }),
  ],
  [
    'update_all_document_uploads',
    () =>
      bodyOf(patchUploads, project, { updates: [{ id: U1 }], update_all_document_uploads: true } as never),
  ],
  [
    'half a termination',
    () =>
      bodyOf(createRevisions, project, {
        uploads: [{ id: U1, latestEventId: 'E1' as EventId, termination: { reason: 'x' } as never }],
      }),
  ],
])('%s is refused before anything is sent', (_, build) => {
  expect(build).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', effect: 'not-sent' }));
});

test.each([
  ['1', 1],
  ['9007199254740991', 9_007_199_254_740_991],
])('the id %s is sent as a number', (id, sent) => {
  expect(numericId.parse(id)).toBe(sent);
});

test.each(['0', '01', 'x1', '9007199254740993', '12345678901234567'])('%s is no id of the wire', id => {
  expect(numericId.safeParse(id).success).toBe(false);
});
