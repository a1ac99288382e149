// The packages of this repository, each after those that it imports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The folders of the packages in libs, in the order in which they are built. */
export const LIBRARY_FOLDERS = ['kube-common', 'embedded-kube', 'kopf'];

/** The packages by their folders, with what their package.json says of them. */
const LIBRARIES = LIBRARY_FOLDERS.map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join(ROOT, 'libs', folder, 'package.json'), 'utf8')),
}));

/** The folders of the packages that a package is compiled against. */
export function dependenciesOf(folder) {
  const { manifest } = LIBRARIES.find((library) => library.folder === folder);
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
  const isOptional = (name) => manifest.peerDependenciesMeta?.[name]?.optional === true;
  return LIBRARIES.filter(({ manifest: { name } }) => names.includes(name) && !isOptional(name)).map(
    (library) => library.folder,
  );
}

/** The names of all packages, for programs that are made of their sources. */
export const PACKAGE_NAMES = LIBRARIES.map(({ manifest }) => manifest.name);
