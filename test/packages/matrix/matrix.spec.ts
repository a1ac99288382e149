import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUIDES } from '../../docs/support/pages.js';
import { expectation, formatTable } from './matrix.mjs';

describe('The matrix of versions', () => {
  it('should be what the guide shows', () => {
    const guide = readFileSync(join(GUIDES, 'versions.md'), 'utf8');
    expect(guide).toContain(`\n${formatTable(expectation)}\n`);
  });
});
