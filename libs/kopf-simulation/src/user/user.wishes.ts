import { applyMergePatch } from 'kube-common';
import type { TestManifestObject } from 'nestjs-kopf/testing';

/** The user's desired state of objects: as applied, with all later patches. Objects are recreated in this state. */
export class UserWishes {
  private readonly wishes = new Map<string, TestManifestObject>();

  /** @param path of the object in the API. */
  of(path: string): TestManifestObject | undefined {
    return this.wishes.get(path);
  }

  apply(path: string, object: TestManifestObject): void {
    this.wishes.set(path, object);
  }

  /** Records a patch of an object that the user has applied before. */
  patch(path: string, patch: object): void {
    const wish = this.wishes.get(path);
    if (wish) this.wishes.set(path, applyMergePatch(wish, patch) as TestManifestObject);
  }

  delete(path: string): void {
    this.wishes.delete(path);
  }
}
