import { Module, type DynamicModule } from '@nestjs/common';
import { KopfModule, type KopfModuleOptions } from 'nestjs-kopf';
import type { Exhibit } from './gallery.js';

/** One exhibit as an application. */
@Module({})
export class AppModule {
  static register({ imports = [], providers = [] }: Exhibit, options: KopfModuleOptions = {}): DynamicModule {
    return { module: AppModule, imports: [...imports, KopfModule.forRoot(options)], providers: [...providers] };
  }
}
