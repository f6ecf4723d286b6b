/** The stand-in's whole state, and the few things every rule needs: settings, time, ids, the log. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ChangeOrderRecord, LineItemRecord } from './change-orders/records';
import { defaultProjects } from './content/projects';
import type {
  Credential,
  DocumentContainer,
  DocumentRevision,
  DocumentUpload,
  FileUpload,
  Login,
  Project,
  ServerMemory,
} from './entities';
import { FaultBook } from './faults/fault-book';
import { Pauses } from './http/pauses';
import { RateLimits } from './http/rate-limits';
import { type Chance, chanceOf, ulidSource } from './identifiers';
import { type Collection, Journal } from './journal';
import { NameIndex } from './name-index';
import type { ObservationRecord, ResponseLogRecord } from './observations/records';
import { OperationLog } from './operation-log';
import { DEFAULT_SETTINGS, type SandboxSettings } from './settings';
import type {
  SignatureRecord,
  TimecardChangeRecord,
  TimecardRecord,
  TimesheetRecord,
} from './timesheets/records';
import type { Delivery, Hook, Trigger } from './webhooks/records';

export interface Urls {
  api: string;
  auth: string;
  storage: string;
  control: string;
}

export class World {
  readonly projects: Collection<Project>;
  readonly uploads: Collection<DocumentUpload>;
  readonly files: Collection<FileUpload>;
  readonly containers: Collection<DocumentContainer>;
  readonly revisions: Collection<DocumentRevision>;
  readonly logins: Collection<Login>;
  readonly credentials: Collection<Credential>;
  readonly hooks: Collection<Hook>;
  readonly triggers: Collection<Trigger>;
  readonly deliveries: Collection<Delivery>;
  readonly timesheets: Collection<TimesheetRecord>;
  readonly timecards: Collection<TimecardRecord>;
  readonly timecardChanges: Collection<TimecardChangeRecord>;
  readonly signatures: Collection<SignatureRecord>;
  readonly changeOrders: Collection<ChangeOrderRecord>;
  readonly lineItems: Collection<LineItemRecord>;
  readonly observations: Collection<ObservationRecord>;
  readonly responseLogs: Collection<ResponseLogRecord>;
  readonly faults = new FaultBook();
  readonly pauses = new Pauses();
  readonly rateLimits = new RateLimits();
  readonly uploadNames = new NameIndex();
  readonly revisionNames = new NameIndex();
  readonly log: OperationLog;
  readonly newId: () => string;
  readonly chance: Chance;
  settings: SandboxSettings;
  /** Filled in when the listeners are up. */
  urls: Urls = { api: '', auth: '', storage: '', control: '' };

  private events = 0;
  private readonly journal: Journal;
  private readonly memory: Collection<ServerMemory>;
  private readonly initialSettings: SandboxSettings;
  /** Containers by project and match criteria. */
  private readonly containerIndex = new Map<string, string>();

  constructor(settings: Partial<SandboxSettings>, dataDir: string | null) {
    this.initialSettings = { ...DEFAULT_SETTINGS, ...settings };
    this.settings = this.initialSettings;
    this.chance = chanceOf(this.settings.seed);
    this.newId = ulidSource(this.chance);
    this.journal = new Journal(dataDir === null ? null : join(dataDir, 'state.jsonl'));
    this.log = new OperationLog(dataDir === null ? null : join(dataDir, 'operations.jsonl'));
    this.projects = this.journal.collection('project');
    this.uploads = this.journal.collection('upload');
    this.files = this.journal.collection('file');
    this.containers = this.journal.collection('container');
    this.revisions = this.journal.collection('revision');
    this.logins = this.journal.collection('login');
    this.credentials = this.journal.collection('credential');
    this.hooks = this.journal.collection('hook');
    this.triggers = this.journal.collection('trigger');
    this.deliveries = this.journal.collection('delivery');
    this.timesheets = this.journal.collection('timesheet');
    this.timecards = this.journal.collection('timecard');
    this.timecardChanges = this.journal.collection('timecard-change');
    this.signatures = this.journal.collection('signature');
    this.changeOrders = this.journal.collection('change-order');
    this.lineItems = this.journal.collection('line-item');
    this.observations = this.journal.collection('observation');
    this.responseLogs = this.journal.collection('response-log');
    this.memory = this.journal.collection('server');
    this.journal.load();
    for (const container of this.containers.values()) this.indexContainer(container);
    for (const upload of this.uploads.values()) this.uploadNames.add(upload);
    for (const revision of this.revisions.values()) this.revisionNames.add(revision);
    this.begin();
  }

  /** Numbers events, whichever hook they go to. */
  nextEvent(): number {
    this.events += 1;
    return this.events;
  }

  /** Unix milliseconds. */
  now(): number {
    return Date.now();
  }

  /** The moment `ms` of the service's own time from now. */
  after(ms: number): number {
    return Date.now() + ms / this.settings.timeScale;
  }

  /** Signs presigned addresses. */
  get signingKey(): string {
    return this.memory.get('server')?.signingKey ?? '';
  }

  containerFor(projectId: string, matchCriteria: string): DocumentContainer | undefined {
    const id = this.containerIndex.get(`${projectId}/${matchCriteria}`);
    return id === undefined ? undefined : this.containers.get(id);
  }

  createContainer(projectId: string, matchCriteria: string): DocumentContainer {
    const container = this.containers.put({ id: this.newId(), projectId, matchCriteria, revisionIds: [] });
    this.indexContainer(container);
    return container;
  }

  /** Makes what has changed durable; called before every answer. */
  flush(): void {
    this.journal.flush();
  }

  /** Back to the default content and the settings of the start. */
  reset(): void {
    this.journal.clear();
    this.log.clear();
    this.faults.clear();
    this.pauses.clear();
    this.rateLimits.reset();
    this.containerIndex.clear();
    this.uploadNames.clear();
    this.revisionNames.clear();
    this.settings = this.initialSettings;
    this.begin();
  }

  close(): void {
    this.journal.close();
    this.log.close();
  }

  private begin(): void {
    if (this.memory.get('server') === undefined) {
      this.memory.put({ id: 'server', signingKey: randomBytes(32).toString('hex') });
    }
    for (const project of defaultProjects()) {
      if (this.projects.get(project.id) === undefined) this.projects.put(project);
    }
    this.journal.flush();
  }

  private indexContainer({ id, projectId, matchCriteria }: DocumentContainer): void {
    this.containerIndex.set(`${projectId}/${matchCriteria}`, id);
  }
}
