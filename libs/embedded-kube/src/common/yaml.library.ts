import { createRequire } from 'node:module';

type YamlLibrary = typeof import('js-yaml');

let library: YamlLibrary | undefined;

/** Returns the library that reads YAML. It is loaded with the first text, as many servers see nothing but JSON. */
export function yamlLibrary(): YamlLibrary {
  return (library ??= createRequire(import.meta.url)('js-yaml') as YamlLibrary);
}
