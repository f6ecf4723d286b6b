// Checks a workflow's input at once and answers all faults and a corrected example: the Temporal UI's form
// takes raw JSON.
import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';

// A failure travels as a payload, and a list that nobody reads to its end only weighs.
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
    // Checked level by level: what is too deep for that would else fail the workflow's task, for ever.
    throw ApplicationFailure.nonRetryable(
      'The input cannot be used: it is nested too deeply.',
      'INVALID_INPUT',
    );
  }
  if (parsed.success) return parsed.data;
  throw ApplicationFailure.nonRetryable(explainFaults(parsed.error, example), 'INVALID_INPUT');
}

/** For what only a look at the service can tell of an input. */
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
  // What holds for every form of an input is checked by itself and with the form.
  const once = [...new Set(all)];
  const faults = once.slice(0, MOST_FAULTS);
  if (once.length > MOST_FAULTS) faults.push(`- and ${once.length - MOST_FAULTS} more`);
  return describeFaults(faults, example);
}

function describeFaults(lines: readonly string[], example: unknown): string {
  return `The input cannot be used:\n${lines.join('\n')}\nFor example:\n${JSON.stringify(example, null, 2)}`;
}
