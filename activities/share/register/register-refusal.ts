// Why a file is set apart for the sake of a register. Pure.
import type { Reason } from '../../../workflows/contract';
import { nameRegister } from './find-job-register';

/** Receipts carry the codes. */
export type RegisterRefusal = 'register-unusable' | 'register-alone' | 'register-later' | 'receipt-alone';
type Refusal = Reason & { readonly code: RegisterRefusal };

const DROP_TOGETHER = 'Drop the register again together with the files that it lists, in one folder.';

export function isAlone(path: string): Refusal {
  return {
    code: 'register-alone',
    text: `${nameRegister(path)} is a register, and no other file came with it.`,
    fix: `${DROP_TOGETHER} If it is to be a document itself, give it a name without "register".`,
  };
}

/** For the receipt of a job that is not known here, or one dropped with files that it does not name. */
export function isReceipt(path: string): Refusal {
  return {
    code: 'receipt-alone',
    text: `${nameRegister(path)} is the receipt of a folder, and no document. It belongs to no folder that is known on this share, so that nothing of it was taken up.`,
    fix: 'Drop it on the share of its folder, or correct the receipt that lies beside the files. If it is to be a document itself, delete its column "Receipt row".',
  };
}

/** `text`: what is wrong with the register; `isItself`: the file is that register. */
export function isUnusable(path: string, text: string, isItself: boolean): Refusal {
  const what = isItself
    ? 'It is meant as the register'
    : `${nameRegister(path)} is the register of this file`;
  return {
    code: 'register-unusable',
    text: `${what}, and cannot be used: ${text}`,
    fix: DROP_TOGETHER,
  };
}

/** For a register that was saved in the place of the job's after that one had been read. */
export function isLater(path: string, readAt: string): Refusal {
  return {
    code: 'register-later',
    text: `The register of this folder was read at ${readAt.slice(0, 19).replace('T', ' ')} UTC, and its files go by that one: what came later under the name of ${nameRegister(path)} was not read.`,
    fix: 'To have what it says, drop it together with the files that it is to count for, in a folder of its own.',
  };
}
