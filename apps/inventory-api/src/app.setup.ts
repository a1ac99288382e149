import { ValidationPipe, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** Sets up what is no module's: the prefix, and the validation of requests. */
export function setUp(app: INestApplication): void {
  app.setGlobalPrefix('api');
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
}

/**
 * Serves the documentation as JSON at `/api/docs-json` and, except in production, as pages at `/api/docs`: their files are not part of
 * an application that is one file.
 */
export function serveDocumentation(app: INestApplication): void {
  const key = { type: 'apiKey', name: 'x-api-key', in: 'header' } as const;
  const documentation = new DocumentBuilder().setTitle('Inventory').addApiKey(key, 'key').build();
  const ui = process.env.NODE_ENV !== 'production';
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, documentation), {
    useGlobalPrefix: true,
    ui,
  });
}
