import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILTIN_CONTROLLERS } from '../../libs/embedded-kube/src/controllers/builtin.controllers.js';

const README = readFileSync(join(import.meta.dirname, '../../libs/embedded-kube/README.md'), 'utf8');

describe('the table of controllers in the README of embedded-kube', () => {
  it('should name each controller that can be switched off, and no others', () => {
    const [, table] = /\n\| Controller .*?\n\| -.*?\n(.*?)\n\n/s.exec(README) ?? [];
    const names = (table ?? '').split('\n').flatMap((row) => [...row.split('|')[1].matchAll(/`([^`]+)`/g)]);
    expect(names.map(([, name]) => name).sort()).toEqual(Object.keys(BUILTIN_CONTROLLERS).sort());
  });
});
