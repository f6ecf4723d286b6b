import { ApplicationFailure } from '@temporalio/common';
import { changeOrderInput } from '../../../workflows/change-orders/change-order-contract';
import { answerInput } from '../../../workflows/ingest/answer-contract';
import { ingestBatchInput, ingestFilesInput } from '../../../workflows/ingest/ingest-contract';
import { observationInput } from '../../../workflows/observations/observation-contract';
import { explainFaults, parseInput } from '../../../workflows/run/parse-input';
import { webhookEventInput } from '../../../workflows/webhooks/webhooks-contract';

const EXAMPLE = { share: 'tender', folder: 'Package A' };

function failureOf(work: () => unknown): ApplicationFailure {
  try {
    work();
  } catch (error: unknown) {
    if (error instanceof ApplicationFailure) return error;
    throw error;
  }
  throw new Error('It was accepted');
}

describe('parseInput', () => {
  test('answers the input it was given', () => {
    expect(parseInput(ingestFilesInput, EXAMPLE, EXAMPLE)).toEqual(EXAMPLE);
  });

  test('fails for good, under a code of its own', () => {
    const failure = failureOf(() => parseInput(ingestFilesInput, {}, EXAMPLE));
    expect(failure).toMatchObject({ type: 'INVALID_INPUT', nonRetryable: true });
  });

  test('lists every fault with its place, and nested places in full', () => {
    const { message } = failureOf(() =>
      parseInput(answerInput, { document: -1, decision: 'maybe', values: { Type: 3 }, status: '' }, EXAMPLE),
    );
    for (const place of ['"document"', '"decision"', '"values.Type"', '"status"'])
      expect(message).toContain(place);
    expect(message?.match(/^- /gm)).toHaveLength(4);
  });

  test('names keys that nobody reads, so that a misspelt one is noticed', () => {
    const { message } = failureOf(() => parseInput(ingestFilesInput, { ...EXAMPLE, foldr: 'x' }, EXAMPLE));
    expect(message).toContain('foldr');
  });

  test('shows an example that can be copied and is accepted', () => {
    const { message } = failureOf(() => parseInput(ingestFilesInput, 'tender', EXAMPLE));
    const shown: unknown = JSON.parse(message?.slice(message.indexOf('{')) ?? '');
    expect(shown).toEqual(EXAMPLE);
    expect(ingestFilesInput.safeParse(shown).success).toBe(true);
  });

  test.each([undefined, null, [], 'x', 7])(
    '%j, which is no object, is a fault of the input as a whole',
    input => {
      expect(failureOf(() => parseInput(ingestBatchInput, input, EXAMPLE)).message).toContain('the input');
    },
  );

  test('tells faults of single keys and of the whole at once', () => {
    const { message } = failureOf(() => parseInput(ingestFilesInput, { share: 'No Such' }, EXAMPLE));
    expect(message).toContain('"share"');
    expect(message).toContain('either "folder" or "paths"');
  });

  test('names no more faults than can be read', () => {
    const paths = Array.from({ length: 5_000 }, () => 7);
    const { message } = failureOf(() => parseInput(ingestFilesInput, { share: 'x', paths }, EXAMPLE));
    expect(message).toMatch(/and 4950 more/);
  });

  test('refuses what is nested too deeply instead of failing over it', () => {
    let input: unknown = 1;
    for (let level = 0; level < 20_000; level++) input = [input];
    const reactions = [{ kind: 'start', name: 'a', workflow: 'aWorkflow', input }];
    expect(failureOf(() => parseInput(webhookEventInput, { reactions }, EXAMPLE))).toMatchObject({
      type: 'INVALID_INPUT',
      nonRetryable: true,
    });
  });
});

describe('all faults at once', () => {
  test('a wrong "tiers" hides no other fault, and none is said twice', () => {
    const parsed = changeOrderInput.safeParse({ companyId: 'x', tiers: 4, originId: 'no spaces', title: '' });
    const text = explainFaults(parsed.error!, {});
    for (const place of ['companyId', 'projectId', 'contractId', 'originId', 'title', 'tiers'])
      expect(text).toContain(`"${place}"`);
    const right = changeOrderInput.safeParse({ companyId: 'x', tiers: 1, originId: 'no spaces' });
    expect(explainFaults(right.error!, {}).match(/"originId"/g)).toHaveLength(1);
  });

  test('a line that lacks its amount says so beside its other faults', () => {
    const parsed = changeOrderInput.safeParse({ tiers: 1, lineItems: [{ description: '', unit: '' }] });
    const text = explainFaults(parsed.error!, {});
    expect(text).toContain('give either "amount"');
    expect(text).toContain('lineItems.0.description');
  });

  test('attachments without a share are told beside everything else', () => {
    const parsed = observationInput.safeParse({ companyId: 'x', name: '', attachments: ['a.jpg'] });
    const text = explainFaults(parsed.error!, {});
    expect(text).toContain('give "share" and "attachments" together');
    expect(text).toContain('"companyId"');
    expect(observationInput.safeParse('text').success).toBe(false);
  });
});
