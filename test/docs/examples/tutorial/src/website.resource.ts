import { IsString } from 'class-validator';
import { CustomResource } from 'nestjs-kopf/crd';

export class WebsiteSpec {
  @IsString()
  html!: string;
}

@CustomResource({
  group: 'example.com',
  spec: WebsiteSpec,
  printerColumns: [{ name: 'Phase', jsonPath: '.status.phase' }],
})
export class Website {
  spec!: WebsiteSpec;
}
