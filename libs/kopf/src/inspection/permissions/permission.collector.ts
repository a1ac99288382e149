import { groupBy } from 'kube-common';
import {
  covers,
  permissionKey,
  type Permission,
  type PermissionReason,
  type RequiredPermission,
} from './permission.js';

/** Permissions for several verbs and namespaces at once. */
export interface PermissionGroup {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly names?: readonly string[];
  /** The namespaces; `undefined` stands for the whole cluster. */
  readonly namespaces: readonly (string | undefined)[];
  readonly purpose: string;
  readonly sources?: readonly string[];
}

/** The collector of permissions, each once, with the handlers and features that need it. */
export class PermissionCollector {
  private readonly found = new Map<string, RequiredPermission>();

  add({ group, resource, verbs, names, namespaces, purpose, sources = [] }: PermissionGroup): void {
    for (const namespace of namespaces) {
      for (const name of names ?? [undefined]) {
        for (const verb of verbs) {
          const place = { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) };
          this.put({ group, resource, verb, ...place }, { purpose, sources });
        }
      }
    }
  }

  /** The permissions that no other one includes. The reasons of an included permission are added to the one that includes it. */
  get all(): readonly RequiredPermission[] {
    const all = [...this.found.values()];
    const widest = all.filter((one) => !all.some((other) => other !== one && covers(other, one)));
    return widest.map((one) => {
      const included = all.filter((other) => covers(one, other));
      return { ...one, reasons: mergeReasons(included.flatMap(({ reasons }) => reasons)) };
    });
  }

  private put(permission: Permission, reason: PermissionReason): void {
    const key = permissionKey(permission);
    this.found.set(key, { ...permission, reasons: [...(this.found.get(key)?.reasons ?? []), reason] });
  }
}

/** Merges the reasons of the same purpose. */
export function mergeReasons(reasons: readonly PermissionReason[]): readonly PermissionReason[] {
  return [...groupBy(reasons, ({ purpose }) => purpose)].map(([purpose, group]) => ({
    purpose,
    sources: [...new Set(group.flatMap(({ sources }) => sources))],
  }));
}
