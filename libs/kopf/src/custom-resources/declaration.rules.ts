import type { CustomResourceDeclaration, DeclaredVersion } from './custom-resource.decorator.js';
import type { SchemaErrors } from './schema/schema.errors.js';

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** The names that must be the same in all versions of a resource. */
const SHARED = ['kind', 'listKind', 'singular', 'scope'] as const;

/** Checks the names of a resource, and that its versions are consistent. */
export function checkDeclarations(versions: readonly DeclaredVersion[], errors: SchemaErrors): void {
  const [first] = versions;
  const names = new Map<string, string>();
  for (const { type, declaration } of versions) {
    const place = `${type.name} (@CustomResource)`;
    for (const text of findNameViolations(declaration)) errors.add(place, text);
    const other = names.get(declaration.version);
    if (other)
      errors.add(place, `the version ${declaration.version} is that of ${other}, too; give one of them another`);
    names.set(declaration.version, type.name);
    if (`${declaration.plural}.${declaration.group}` !== `${first.declaration.plural}.${first.declaration.group}`) {
      errors.add(
        place,
        `its plural or group is not that of ${first.type.name}, so they are no versions of one resource`,
      );
    }
    for (const name of SHARED) {
      if (declaration[name] === first.declaration[name]) continue;
      errors.add(
        place,
        `the ${name} is not that of ${first.type.name}, which is another version: ${first.declaration[name]}`,
      );
    }
  }
  const stored = versions.filter(({ declaration }) => declaration.storage);
  if (stored.length > 1) {
    const classes = stored.map(({ type }) => type.name).join(', ');
    errors.add(`${classes} (@CustomResource)`, 'only one version can have storage: true; remove it from the others');
  }
}

function findNameViolations(declaration: CustomResourceDeclaration): string[] {
  const { group, version, kind, plural, singular, shortNames = [] } = declaration;
  const violations: string[] = [];
  if (typeof group !== 'string' || !SUBDOMAIN.test(group)) {
    violations.push(
      `the group ${JSON.stringify(group)} must be a domain name with at least one dot, such as example.com`,
    );
  }
  if (!/^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(kind)) {
    violations.push(`the kind ${JSON.stringify(kind)} must consist of letters and digits; give it by the option kind`);
  }
  for (const [option, value] of Object.entries({ version, plural, singular })) {
    if (!LABEL.test(value)) {
      violations.push(`the ${option} ${JSON.stringify(value)} must consist of small letters, digits, and -`);
    }
  }
  for (const name of shortNames) {
    if (!LABEL.test(name))
      violations.push(`the short name ${JSON.stringify(name)} must consist of small letters, digits, and -`);
  }
  return violations;
}
