// Checks a workflow's input at once and answers all faults and a corrected example: the Temporal UI's form takes raw JSON.
import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';

/** The parsed input, or a non-retryable INVALID_INPUT failure that lists every fault and shows `example`. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  example: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(explainFaults(parsed.error, example), 'INVALID_INPUT');
}

export function explainFaults(error: z.ZodError, example: unknown): string {
  const faults = error.issues.map(issue => {
    const place = issue.path.join('.');
    return `- ${place === '' ? 'the input' : `"${place}"`}: ${issue.message}`;
  });
  return `The input cannot be used:\n${faults.join('\n')}\nFor example:\n${JSON.stringify(example, null, 2)}`;
}
