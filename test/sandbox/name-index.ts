/** Records by project and file name, so that duplicates are found without looking at everything. */

interface Named {
  id: string;
  projectId: string;
  fileName: string;
}

export class NameIndex {
  private readonly ids = new Map<string, Set<string>>();

  add({ id, projectId, fileName }: Named): void {
    const key = `${projectId}/${fileName}`;
    const known = this.ids.get(key);
    if (known === undefined) this.ids.set(key, new Set([id]));
    else known.add(id);
  }

  /** Ids of the other records with the same project and file name. */
  namesakes({ id, projectId, fileName }: Named): string[] {
    return [...(this.ids.get(`${projectId}/${fileName}`) ?? [])].filter(other => other !== id);
  }

  clear(): void {
    this.ids.clear();
  }
}
