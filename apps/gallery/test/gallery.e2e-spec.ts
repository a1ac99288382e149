import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { KopfRegistry } from 'nestjs-kopf';
import { AppModule } from '../src/app.module.js';
import { GALLERY } from '../src/gallery.js';

const SOURCES = join(import.meta.dirname, '../src');

describe('The gallery', () => {
  it('should show all exhibits, each with a test', () => {
    const folders = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => name).sort();
    expect(Object.keys(GALLERY).sort()).toEqual(names);
    const tests = readdirSync(import.meta.dirname);
    for (const name of names) expect(tests).toContain(`${name}.e2e-spec.ts`);
  });

  it.each(Object.entries(GALLERY))('should have an application that can be made: %s', async (_name, exhibit) => {
    const module = await Test.createTestingModule({ imports: [AppModule.register(exhibit, { enabled: false })] })
      .setLogger(false as never)
      .compile();
    await module.init();
    expect(module.get(KopfRegistry).describe().length).toBeGreaterThan(0);
    await module.close();
  });
});
