import type { SchemaNode } from '../schema/schema.node.js';

/** The fields of a schema by their paths: `.spec.disks[].size`, `.spec.labels.*`; the path of the whole object is empty. */
export type SchemaFields = ReadonlyMap<string, SchemaNode>;

/** Lists all fields of a schema, parents first. */
export function listSchemaFields(schema: SchemaNode): SchemaFields {
  const fields = new Map<string, SchemaNode>();
  const visit = (node: SchemaNode, path: string): void => {
    fields.set(path, node);
    for (const [name, property] of Object.entries(node.properties ?? {})) visit(property, `${path}.${name}`);
    if (node.items) visit(node.items, `${path}[]`);
    if (typeof node.additionalProperties === 'object') visit(node.additionalProperties, `${path}.*`);
  };
  visit(schema, '');
  return fields;
}

/** Returns the path of the field that contains another one; `undefined` for the whole object. */
export function parentOf(path: string): string | undefined {
  if (path === '') return undefined;
  return path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, path.lastIndexOf('.'));
}
