// What is done with documents that seem to be there already, to be double, or to come too late: the rules of
// a share, and what a row of a register and a person's answer say instead.
import { readAction } from '../../registers/words/action-words';
import { DUPLICATE_DEFAULTS, type DuplicateRules } from '../../share/share-config';
import type { Candidate } from './candidate';
import type { Stop } from './explain-stop';

const RULE_OF = {
  'already-there': 'sameFile',
  'same-bytes': 'sameBytes',
  'same-bytes-in-job': 'sameBytes',
  'no-order': 'noOrder',
  'later-there': 'earlier',
  'not-new': 'mode',
  'not-there': 'mode',
} as const satisfies Record<Stop['code'], keyof DuplicateRules>;

/** Of a document that another upload may have made a revision of: no rule is about it. */
export const PERHAPS_SUBMITTED = 'perhaps-submitted';

/** With one of these a document is held until a person says that it is meant. */
export type DoubtCode = keyof typeof RULE_OF | typeof PERHAPS_SUBMITTED;

export function isDoubt(code: string): code is DoubtCode {
  return code === PERHAPS_SUBMITTED || Object.hasOwn(RULE_OF, code);
}

/** Every document is sent, whatever it looks like. */
const SEND_ALL: DuplicateRules = {
  sameFile: 'send',
  sameBytes: 'send',
  noOrder: 'send',
  earlier: 'send',
  mode: 'auto',
};

/**
 * The rules as they hold for one document. Its row may say `send`, `new`, `supersede` or `auto`; other words
 * in a column Action are the sender's own. A rule that a person has overruled for this document (`meant`)
 * does not stop it again.
 */
export function rulesFor(
  settings: Partial<DuplicateRules> | undefined,
  { action, meant = [] }: Pick<Candidate, 'action' | 'meant'>,
): DuplicateRules {
  const rules = { ...DUPLICATE_DEFAULTS, ...settings };
  const ofRow = applyAction(rules, action);
  const waived = Object.entries(RULE_OF)
    .filter(([code]) => meant.includes(code))
    .map(([, rule]) => [rule, SEND_ALL[rule]] as const);
  return { ...ofRow, ...Object.fromEntries(waived) };
}

/** Whether these rules stop nothing for what the ledger shows: then nothing is looked up. */
export function isSentAnyway({ sameFile, sameBytes, earlier, mode }: DuplicateRules): boolean {
  return sameFile === 'send' && sameBytes === 'send' && earlier === 'send' && mode === 'auto';
}

function applyAction(rules: DuplicateRules, action: string | undefined): DuplicateRules {
  switch (readAction(action)) {
    case 'send':
      return SEND_ALL;
    case 'auto':
      return { ...rules, mode: 'auto' };
    case 'new':
      return { ...rules, mode: 'new-only' };
    case 'supersede':
      return { ...rules, mode: 'supersede-only' };
    default:
      return rules;
  }
}
