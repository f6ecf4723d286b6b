// Which files this process has seen the service release: only by comparison with them can it be said that a
// file which the service keeps back is at fault.
import type { ProjectRef } from '../../workflows/contract';

export class Releases {
  readonly #latest = new Map<string, number>();

  /** A file that was reported at that time, Unix ms, is available. */
  note(project: ProjectRef, reportedAtMs: number): void {
    this.#latest.set(project.projectId, Math.max(reportedAtMs, this.latest(project)));
  }

  /** When the latest of the released files of the project was reported; 0 when none was seen. */
  latest(project: ProjectRef): number {
    return this.#latest.get(project.projectId) ?? 0;
  }
}
