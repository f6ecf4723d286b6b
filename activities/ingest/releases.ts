// Which files this process has seen the service release: only by comparison with them can it be said that a
// file which the service keeps back is at fault.
import type { ProjectRef } from '../../workflows/contract';

export class Releases {
  readonly #latest = new Map<string, number>();

  /** A file that was reported at that time is available. All times: Unix ms by Temporal's clock. */
  note(project: ProjectRef, reportedAtMs: number, nowMs: number): void {
    this.#latest.set(project.projectId, Math.max(reportedAtMs, this.latest(project, nowMs)));
  }

  /**
   * When the latest of the released files of the project was reported; 0 when none was seen. A time that is
   * still to come was told by a clock that has been set back since, and is forgotten: beside it, all that is
   * reported until then would seem to be passed over.
   */
  latest(project: ProjectRef, nowMs: number): number {
    const latestMs = this.#latest.get(project.projectId) ?? 0;
    if (latestMs <= nowMs) return latestMs;
    this.#latest.delete(project.projectId);
    return 0;
  }
}
