// What workflows may ask about observations. A refusal by the service, or trouble with a file, is a result;
// errors are about the service, the project or the share.
import type { Asking, ProjectRef, Reason } from '../../workflows/contract';
import type { Refused } from '../scope/refusal-reason';
import type { CategoryFieldSet } from '../service/endpoints/observation-lists';
import type { ObservationFields, ObservationStatus } from '../service/endpoints/observations';

export type { CategoryFieldSet, ObservationFields, ObservationStatus };

export interface ResolveObservationInput {
  readonly project: ProjectRef;
  readonly type: string;
  readonly assignee?: string | undefined;
  /** Names, e-mail addresses or ids; `default`: those who are told of every observation of the project. */
  readonly distribution?: readonly string[] | 'default' | undefined;
}

export type ResolveObservationResult =
  | {
      readonly kind: 'resolved';
      readonly typeId: string;
      readonly category: string;
      readonly assigneeId?: string;
      readonly distributionMemberIds?: readonly string[];
    }
  | { readonly kind: 'unresolved'; readonly reasons: readonly Reason[] };

export interface ObservationView {
  readonly id: string;
  readonly number: string | null;
  readonly name: string;
  readonly status: ObservationStatus | 'other' | null;
  readonly attachmentNames: readonly string[];
}

export interface TwinInput {
  readonly project: ProjectRef;
  readonly fields: Pick<ObservationFields, 'name' | 'typeId' | 'description'>;
  /** None is made where one is there: so one counts, too, that a run before has made a moment ago. */
  readonly isToStop?: true;
}

/** What must be had once and carries nothing by which the service would know it again. */
export interface AskedOnce {
  /** Absent in runs of the release before. */
  readonly asked?: Asking;
}

export interface CreateObservationInput extends AskedOnce {
  readonly project: ProjectRef;
  readonly fields: ObservationFields;
  /** Whether the service checks the item against its category's field set. */
  readonly validate: boolean;
  /** Items that look the same and were there before: none of them is ours. */
  readonly knownIds: readonly string[];
  /** Below the share's folder for attachments. */
  readonly attachments: readonly string[];
}

export type CreateObservationResult =
  | { readonly kind: 'made'; readonly observation: ObservationView }
  | {
      readonly kind: 'found';
      readonly observation: ObservationView;
      /** Ids of others that are as asked for and were not there before, if any. */
      readonly alike?: readonly string[];
    }
  | Refused;

export type ObservationReply = { readonly kind: 'done'; readonly observation: ObservationView } | Refused;

export interface ItemRef {
  readonly project: ProjectRef;
  readonly id: string;
}

export interface ReadObservationInput extends ItemRef {
  /** A person has named it: that there is none is said at once. Absent: the service has given us its id. */
  readonly isNamed?: true;
}

export interface AttachFilesInput extends ItemRef, AskedOnce {
  /** Below the share's folder for attachments. */
  readonly attachments: readonly string[];
  /** The item as the service showed it when we made it; where it has all files, nothing is asked. */
  readonly seen?: ObservationView;
  /** What others have attached is called. Absent where we have made the item. */
  readonly others?: readonly string[];
}

export interface AddResponseInput extends ItemRef, AskedOnce {
  readonly comment: string;
  /** Logs that were there before: none of them is ours. */
  readonly knownIds: readonly string[];
  readonly attachments: readonly string[];
}

export interface UnsentObservations {
  readonly ids: readonly string[];
  /** Names of the first of them, for people. */
  readonly names: readonly string[];
}

export interface SendUnsentInput extends AskedOnce {
  readonly project: ProjectRef;
  readonly confirmedIds: readonly string[];
}

export type SendUnsentResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'changed'; readonly unsent: UnsentObservations }
  | Refused;

export type AddResponseResult = { readonly kind: 'made' | 'found' } | Refused;
