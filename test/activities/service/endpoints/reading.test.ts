// What the wire may look like, and what must not pass for a success.
import fc from 'fast-check';
import { createRevisions } from '../../../../activities/service/endpoints/document-revisions';
import {
  createUploads,
  patchUploads,
  readSelectedUploads,
  showUpload,
} from '../../../../activities/service/endpoints/document-uploads';
import {
  createFileUpload,
  patchFileUpload,
  showFileUpload,
} from '../../../../activities/service/endpoints/file-uploads';
import { requestToken, showTokenInfo } from '../../../../activities/service/endpoints/oauth';
import {
  listFields,
  listFieldValues,
  listRequirements,
} from '../../../../activities/service/endpoints/project-rules';
import { listProjectUsers, showProjectUser } from '../../../../activities/service/endpoints/project-users';

const everyAnswer = [
  createRevisions,
  createUploads,
  patchUploads,
  readSelectedUploads,
  showUpload,
  createFileUpload,
  patchFileUpload,
  showFileUpload,
  requestToken,
  showTokenInfo,
  listFields,
  listFieldValues,
  listRequirements,
  listProjectUsers,
  showProjectUser,
].map(endpoint => [endpoint.name, endpoint.answer] as const);

it.each(everyAnswer)('%s survives any JSON', (_, schema) => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.record({ data: fc.jsonValue() })), body => {
      schema.safeParse(body);
    }),
    { numRuns: 200 },
  );
});

it.each(everyAnswer.filter(([name]) => name !== 'oauth.info'))(
  '%s takes no empty object for a success',
  (_, schema) => {
    for (const body of [{}, { data: {} }, { data: null }, null, '', []]) {
      const isEmptyList = Array.isArray(body) && schema.safeParse(body).success;
      if (!isEmptyList) expect(schema.safeParse(body).success).toBe(false);
    }
  },
);

it('Step 6: an answer without the success list says nothing of what was done', () => {
  expect(patchUploads.answer.safeParse({ data: { failed: [] } }).success).toBe(false);
  expect(patchUploads.answer.parse({ data: { success: [{ id: 'U1' }] } })).toEqual({
    succeededIds: ['U1'],
    failed: [],
  });
  expect(
    patchUploads.answer.parse({
      data: { success: [], failed: [{ id: 'U2', code: 404, message: 'm', more: 1 }] },
    }),
  ).toEqual({ succeededIds: [], failed: [{ id: 'U2', code: '404', message: 'm' }] });
});

it('Step 8: failures are read on success, unknown codes too', () => {
  expect(
    createRevisions.answer.parse({
      data: {
        ids: ['R1'],
        failures: [
          { upload_id: 'U1', reason_code: 'CONCURRENCY_CONFLICT', message: 'm' },
          { upload_id: 'U2', reason_code: 'NEW_ONE' },
        ],
        failureIds: ['U1'],
      },
    }),
  ).toEqual({
    revisionIds: ['R1'],
    failures: [
      { uploadId: 'U1', reasonCode: 'CONCURRENCY_CONFLICT', rawCode: 'CONCURRENCY_CONFLICT', message: 'm' },
      { uploadId: 'U2', reasonCode: 'OTHER', rawCode: 'NEW_ONE', message: '' },
    ],
  });
  expect(createRevisions.answer.parse({ data: { ids: [], failures: null } }).failures).toEqual([]);
  // A failure that names no upload could be anybody's: the answer cannot be used.
  expect(
    createRevisions.answer.safeParse({ data: { ids: [], failures: [{ reason_code: 'X' }] } }).success,
  ).toBe(false);
});

it('Step 7: every form that integration statuses and values may have', () => {
  const upload = (more: object) => showUpload.answer.parse({ data: { id: 'U1', ...more } });
  expect(upload({})).toMatchObject({
    fields: [],
    uploadStatus: null,
    latestEventId: null,
    integrationStatuses: { ml: null, filenameScraping: null },
  });
  expect(
    upload({ integration_statuses: { ml: 'in_progress', filename_scraping: { status: 'error' } } }),
  ).toMatchObject({
    integrationStatuses: { ml: 'in_progress', filenameScraping: 'error' },
  });
  expect(upload({ integration_statuses: { ml: 'brand_new', filename_scraping: null } })).toMatchObject({
    integrationStatuses: { ml: 'other', filenameScraping: null },
  });
  expect(
    upload({
      upload_status: 'COMPLETED',
      latest_event_id: 'E1',
      fields: [
        {
          id: 'F1',
          name: 'type',
          type: 'lov_entry',
          values: [{ id: 'V1', code: 'DWG', label: 'Drawing', active: true }],
        },
        {
          id: 'F2',
          name: 'number',
          type: 'string',
          values: [{ label: 17 }],
          label_source: 'ML',
          confidence_score: 0.4,
        },
        { id: 'F3', name: 'x', type: 'hologram', values: null, label_source: 'NEW' },
      ],
    }),
  ).toMatchObject({
    latestEventId: 'E1',
    fields: [
      {
        id: 'F1',
        label: 'type',
        type: 'lov_entry',
        values: [{ id: 'V1', label: 'Drawing' }],
        labelSource: null,
      },
      { id: 'F2', values: [{ id: null, label: '17' }], labelSource: 'ML', confidenceScore: 0.4 },
      { id: 'F3', type: 'other', values: [], labelSource: 'other' },
    ],
  });
});

it('Step 1: qualifiers and naming standard', () => {
  expect(
    listRequirements.answer.parse({
      data: [
        {
          id: 'Q1',
          naming_standard: {
            id: 'N1',
            name: 'std',
            fields: [{ id: 'F1', name: 'type', label: 'Type', type: 'lov_entry' }],
          },
          rule_qualifiers: [
            {
              type: 'x',
              field: { id: 'F1', name: 'type' },
              acceptable_values: [{ id: 'V1', label: 'Drawing' }],
            },
          ],
          fields_required_by_project: [{ id: 'F2', name: 'name', label: 'Name', type: 'string' }],
          allow_duplicate_revisions: false,
        },
        { id: 'Q2' },
      ],
    }),
  ).toMatchObject([
    {
      namingStandard: { fields: [{ id: 'F1' }] },
      ruleQualifiers: [{ field: { id: 'F1' }, acceptableValues: [{ id: 'V1', active: true }] }],
      allowDuplicateRevisions: false,
    },
    { namingStandard: null, ruleQualifiers: [], allowDuplicateRevisions: true },
  ]);
});

it('Step 5: addresses for the segments still missing, none once all have come', () => {
  const segment = {
    url: 'https://s.example/1?sig=x',
    url_expires_at: 1_700_000_000,
    headers: { 'x-amz-a': 'b', n: 1 },
  };
  expect(
    createFileUpload.answer.parse({
      data: { upload_id: 'F1', status: 'ready', upload_expires_at: 1_700_000_100, segments: [segment] },
    }),
  ).toEqual({
    id: 'F1',
    status: 'ready',
    expiresAtMs: 1_700_000_100_000,
    segments: [{ url: segment.url, urlExpiresAtMs: 1_700_000_000_000, headers: { 'x-amz-a': 'b', n: '1' } }],
  });
  const show = (more: object) => showFileUpload.answer.parse({ data: { upload_id: 'F1', ...more } });
  expect(show({ status: 'receiving', segments: [{ size: 5 }, segment] }).freshSegments).toHaveLength(1);
  expect(show({ status: 'scanning' })).toMatchObject({ status: 'scanning', freshSegments: [] });
  expect(show({ status: 'frozen', segments: null })).toMatchObject({ status: 'other', freshSegments: [] });
});

it('users come with what the caller may see', () => {
  expect(
    listProjectUsers.answer.parse([
      { id: 9001, name: 'Ann Lee', permission_template: { id: 7, name: 'Admin' }, email_address: 'a@b' },
      { id: 9002, first_name: 'Bo', last_name: 'Yi' },
    ]),
  ).toMatchObject([
    { id: '9001', name: 'Ann Lee', email: 'a@b', permissionTemplate: { id: '7', name: 'Admin' } },
    { id: '9002', name: 'Bo Yi', email: null, permissionTemplate: null },
  ]);
});

it.each([
  [
    showUpload,
    {
      id: 'U1',
      file_locked: false,
      upload_status: 'COMPLETED',
      fields: [],
      integration_statuses: {},
      latest_event_id: 'E',
      match_criteria: 'm',
      document_container_id: 'C',
    },
    ['id'],
  ],
  [
    showFileUpload,
    {
      upload_id: 'F1',
      status: 'ready',
      file_name: 'a',
      sanitized_file_name: 'a',
      content_type: 'c',
      file_size: 1,
      segments: [],
    },
    ['upload_id'],
  ],
  [
    createFileUpload,
    { upload_id: 'F1', status: 'ready', upload_expires_at: 1, segments: [] },
    ['upload_id', 'segments'],
  ],
] as const)('keys that may be null or absent are either', (endpoint, sample, needed) => {
  for (const key of Object.keys(sample)) {
    const without = Object.fromEntries(Object.entries(sample).filter(([other]) => other !== key));
    const isNeeded = (needed as readonly string[]).includes(key);
    expect([key, endpoint.answer.safeParse({ data: without }).success]).toEqual([key, !isNeeded]);
    expect([key, endpoint.answer.safeParse({ data: { ...sample, [key]: null } }).success]).toEqual([
      key,
      !isNeeded,
    ]);
  }
});

it.each(['5400', -1, {}, null, undefined])(
  'a token whose lifetime is told as %p is taken all the same',
  expires_in => {
    const tokens = requestToken.answer.parse({ access_token: 'a', refresh_token: 'r', expires_in });
    expect(tokens.lifetimeMs).toBeNull();
    expect(tokens.refreshToken?.reveal()).toBe('r');
  },
);
