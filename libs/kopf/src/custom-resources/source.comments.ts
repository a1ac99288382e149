/**
 * The key of the comments that the compiler's plugin has found in the source of a class, a static member: texts by properties, and the
 * comment of the class by an empty name.
 */
export const SOURCE_COMMENTS = 'nestjs-kopf:comments';

/** Finds the documentation of a class, or of a property that it declares, if the class was compiled with the plugin. */
export function findComment(type: Function, property = ''): string | undefined {
  const key = Symbol.for(SOURCE_COMMENTS);
  if (!Object.hasOwn(type, key)) return property === '' ? undefined : findInherited(type, property);
  const comments = (type as unknown as Readonly<Record<symbol, Readonly<Record<string, string>>>>)[key];
  if (Object.hasOwn(comments, property)) return comments[property];
  return property === '' ? undefined : findInherited(type, property);
}

function findInherited(type: Function, property: string): string | undefined {
  const base = Object.getPrototypeOf(type) as unknown;
  return typeof base === 'function' && base !== Function.prototype ? findComment(base, property) : undefined;
}
