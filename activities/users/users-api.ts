// What workflows may ask about people of a project, as types. Trouble with one person is a result, not an
// error.
import type { Asking, ProjectRef, Reason } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';

export interface PermissionTemplate {
  readonly id: string;
  readonly name: string;
}

export interface Member {
  readonly userId: string;
  readonly name: string;
  /** null: the caller may not see it, or there is none. */
  readonly template: PermissionTemplate | null;
}

export interface FindMemberInput {
  readonly project: ProjectRef;
  /** An id, an e-mail address or a name. */
  readonly user: string;
  /** An id, or the name of a template that somebody in the project has. */
  readonly template: string;
  /** The same, for somebody whose present template cannot be seen. */
  readonly previousTemplate?: string | undefined;
}

export type FindMemberResult =
  | {
      readonly kind: 'found';
      readonly member: Member;
      readonly template: PermissionTemplate;
      readonly previous: PermissionTemplate | null;
    }
  /** `user` is an id and not in the project: a run that was ended half-way, or somebody new. */
  | {
      readonly kind: 'outside';
      readonly userId: string;
      readonly template: PermissionTemplate;
      readonly previous: PermissionTemplate | null;
    }
  | { readonly kind: 'refused'; readonly reasons: readonly Reason[] };

export interface MemberRef {
  readonly project: ProjectRef;
  readonly userId: string;
}

export interface RemoveMemberInput extends MemberRef {
  /**
   * The template that the user is to be removed with. Absent, as in runs of the release before, or a template
   * that the service does not show: whichever it is.
   */
  readonly expected?: PermissionTemplate | undefined;
  /** A removal that this run asked for before may have taken effect. */
  readonly isPerhapsOut?: boolean;
  /** Absent in a run of the release before, which knows of no 'isPerhapsOut' in the result either. */
  readonly asked?: Asking;
}

export type RemoveMemberResult =
  | { readonly kind: 'removed' }
  /** Not removed: somebody has given another template meanwhile. */
  | { readonly kind: 'other'; readonly template: PermissionTemplate }
  /** Nothing was applied by this request: listed as before, which is out of date where `isPerhapsOut`. */
  | (Refused & { readonly isPerhapsOut?: true });

export interface AddMemberInput extends MemberRef {
  readonly templateId: string;
  /**
   * The template from before our removal: a list that shows it may be out of date. Absent in a run of the
   * release before.
   */
  readonly previous?: PermissionTemplate;
  /** An addition that this run asked for before was answered, and the list has not shown the user so far. */
  readonly isPerhapsInside?: true;
  readonly asked: Asking;
}

export type AddMemberResult =
  | { readonly kind: 'added' }
  /** Is in the project with another template: the removal did not hold, or a person acted. */
  | { readonly kind: 'other'; readonly template: PermissionTemplate }
  /** Nothing was applied, and the user is outside. */
  | Refused;

export interface BringInsideInput extends MemberRef {
  /** Tried one after the other. */
  readonly templates: readonly PermissionTemplate[];
  readonly asked: Asking;
}

/** `template` null: the service does not show it. */
export interface BringInsideResult {
  readonly kind: 'inside';
  readonly by: 'us' | 'others';
  readonly template: PermissionTemplate | null;
}
