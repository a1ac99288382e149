import { Controller, Get } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { KopfAdmissionModule, KopfModule } from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';

@Controller('items')
class ItemsController {
  @Get()
  list(): readonly string[] {
    return [];
  }
}

describe('The documentation of the API by Swagger', () => {
  it('should show what is for users, and neither probes nor reviews', async () => {
    const kube = await EmbeddedKube.start({ port: false });
    const module = await Test.createTestingModule({
      imports: [
        KopfHealthModule.forRoot({ controller: true }),
        KopfAdmissionModule.forRoot({ path: 'admission' }),
        KopfModule.forRoot({ credentials: { server: kube.url, transport: kube.transport() } }),
      ],
      controllers: [ItemsController],
    }).compile();
    const app = module.createNestApplication();
    app.useLogger(false);
    await app.init();
    try {
      const routes = app
        .getHttpAdapter()
        .getInstance()
        .router.stack.map((layer: any) => layer.route?.path);
      expect(routes).toEqual(expect.arrayContaining(['/items', '/healthz', '/readyz', '/admission']));
      const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
      expect(Object.keys(paths)).toEqual(['/items']);
    } finally {
      await app.close();
      await kube.stop();
    }
  });
});
