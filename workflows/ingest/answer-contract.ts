// What people can say about held documents of a batch: one answer, or many in one update.

import { z } from 'zod';
import { defineUpdate } from '../contract';
import { isObject } from '../run/input-fields';

/**
 * As long as a cell of a workbook can be, as many as it has columns: whatever sheets of earlier versions said
 * is taken, so that runs which have it in their histories still replay.
 */
const MOST_CHARACTERS = 32_767;
const MOST_VALUES = 500;
const text = z.string().max(MOST_CHARACTERS);

/** What is asked about a held document. */
export const questionShape = z.enum(['missing-values', 'workflow-conflict', 'overtaken', 'duplicate']);

/** What a person can say about a held document. */
const answerFields = {
  decision: z.enum(['terminate', 'retry', 'set-apart']).optional(),
  reason: z.string().min(1).max(500).optional(),
  status: z.string().min(1).max(200).optional(),
  values: z
    .record(
      text,
      z.union([text, z.array(text).max(MOST_CHARACTERS)], {
        error: `a text, or a list of texts for a multi-select field; of ${MOST_CHARACTERS} characters at most`,
      }),
    )
    .refine(values => Object.keys(values).length <= MOST_VALUES, `at most ${MOST_VALUES} values`)
    .optional(),
  /**
   * The question as it stood before whoever answers, to refuse what is meant for another one. Without a
   * `reason` any question of this kind is meant.
   */
  asked: z
    .strictObject({
      question: questionShape,
      reason: text.optional(),
    })
    .optional(),
};
const documentName = z.union([z.number().int().nonnegative(), z.string().min(1)]);

/** What a person says, whichever documents it is for. */
export type Said = z.infer<z.ZodObject<typeof answerFields>>;

function saysSomething(answer: Said): boolean {
  return answer.decision !== undefined || answer.values !== undefined;
}
const SAYS_NOTHING = {
  message: 'give "decision" (terminate, retry or set-apart) or "values"',
  when: isObject,
};

function isWholeTermination(answer: Said): boolean {
  return answer.decision !== 'terminate' || (answer.reason !== undefined && answer.status !== undefined);
}
const HALF_A_TERMINATION = {
  message: '"terminate" needs a "reason" and the "status" that the ended revisions get',
  when: isObject,
};

export const answerInput = z
  .strictObject({ document: documentName, ...answerFields })
  .refine(saysSomething, SAYS_NOTHING)
  .refine(isWholeTermination, HALF_A_TERMINATION);
/** A person's answer for one held document, named by its index or path. */
export type HeldAnswer = z.infer<typeof answerInput>;

export interface AcceptedAnswer {
  /** Its path in the batch. */
  readonly document: string;
  readonly goesOn: true;
}
export const answerUpdate = defineUpdate<AcceptedAnswer, [HeldAnswer]>('answer');

/** What was asked about a document and answered, as its receipt keeps it. */
export interface KeptAnswer {
  /** Who; absent where nobody said so. */
  readonly by?: string | undefined;
  /** When it was answered, and since when it was asked. */
  readonly atMs: number;
  readonly sinceMs: number;
  /** A question of `HeldDocument`. */
  readonly question: string;
  readonly said: string;
}

/** Many times the documents of a batch: each may be named in an answer of its own. */
const MOST_ANSWERS = 1_000;
const names = z.array(text).max(MOST_VALUES).readonly();

export const answerManyInput = z.strictObject({
  answers: z
    .array(
      z
        .strictObject({
          documents: z.array(documentName).min(1).max(MOST_ANSWERS),
          ...answerFields,
          /** Which of `values` are no texts in the sheet; absent for none. */
          numbers: names.optional(),
          otherwise: names.optional(),
          dates: names.optional(),
          booleans: names.optional(),
        })
        .refine(saysSomething, SAYS_NOTHING)
        .refine(isWholeTermination, HALF_A_TERMINATION),
    )
    .min(1)
    .max(MOST_ANSWERS),
  /** `values` are as they stand in a sheet: they are read by the rules that registers are read by. */
  inCells: z.literal(true).optional(),
  /** Who answers, as the receipt is to say it. */
  as: z
    .string()
    .trim()
    .regex(/^\P{Cc}+$/u, 'a name, without line breaks')
    .max(100)
    .optional(),
});
/** Answers of one person for many held documents; each answer names those that it is for. */
export type ManyAnswers = z.infer<typeof answerManyInput>;

/** How the refusal of an answer begins that was meant for another question: see `asked`. */
export const QUESTION_CHANGED = 'The question has changed since it was answered.';

export interface RefusedAnswer {
  /** Its path in the batch; of what is not held, the name that was given. */
  readonly document: string;
  readonly why: string;
}

export interface AcceptedAnswers {
  /** Paths of the documents whose answers are used. */
  readonly taken: readonly string[];
  /** All that is wrong, at once; a document that is named here waits on. */
  readonly refused: readonly RefusedAnswer[];
}
/** The answers of one update are checked, written and carried on together: a few events for each step. */
export const answerManyUpdate = defineUpdate<AcceptedAnswers, [ManyAnswers]>('answerMany');
