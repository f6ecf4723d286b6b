// Checks a workflow's input at once and returns all faults and a corrected example: the Temporal UI's form
// takes raw JSON.
import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';

// A failure travels as a payload: more faults than anybody reads would only make it larger.
const MOST_FAULTS = 50;
const FAULT_CHARACTERS = 300;

/** The parsed input, or a non-retryable INVALID_INPUT failure that lists every fault and shows `example`. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  example: unknown,
): z.output<Schema> {
  let parsed: z.ZodSafeParseResult<z.output<Schema>>;
  try {
    parsed = schema.safeParse(input);
  } catch {
    // The check goes down level by level: input that is too deep for it would otherwise fail the workflow's
    // task for ever.
    throw ApplicationFailure.nonRetryable(
      'The input cannot be used: it is nested too deeply.',
      'INVALID_INPUT',
    );
  }
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(explainFaults(parsed.error, example), 'INVALID_INPUT');
}

/** The same failure, for faults of an input that only a look at the service can find. */
export function invalidInput(faults: readonly string[], example: unknown): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    describeFaults(
      faults.map(fault => `- ${fault}`),
      example,
    ),
    'INVALID_INPUT',
  );
}

export function explainFaults(error: z.ZodError, example: unknown): string {
  const all = error.issues.map(issue => {
    const place = issue.path.join('.');
    return `- ${place === '' ? 'the input' : `"${place}"`}: ${issue.message}`.slice(0, FAULT_CHARACTERS);
  });
  // What every form of an input has in common is checked by itself and once more with the form.
  const once = [...new Set(all)];
  const faults = once.slice(0, MOST_FAULTS);
  if (once.length > MOST_FAULTS) faults.push(`- and ${once.length - MOST_FAULTS} more`);
  return describeFaults(faults, example);
}

function describeFaults(lines: readonly string[], example: unknown): string {
  return `The input cannot be used:\n${lines.join('\n')}\nFor example:\n${JSON.stringify(example, null, 2)}`;
}
