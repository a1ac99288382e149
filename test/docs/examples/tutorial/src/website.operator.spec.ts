import { customResourceDefinition } from 'nestjs-kopf/crd';
import { KopfTest } from 'nestjs-kopf/testing';
import { AppModule } from './app.module.js';
import { Website } from './website.resource.js';

const hello = {
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name: 'hello' },
  spec: { html: '<h1>Hello!</h1>' },
};

describe('WebsiteOperator', () => {
  it('should make the page and the server of a website', async () => {
    await using test = await KopfTest.create({
      imports: [AppModule],
      objects: customResourceDefinition(Website),
    });
    const website = await test.apply(hello);
    expect(await test.handled(website)).toMatchObject({ status: { create: { pod: 'hello-server' } } });
    const page = await test.read({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello-page' } });
    expect(page).toMatchObject({ data: { 'index.html': '<h1>Hello!</h1>' } });
  });
});
