import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class ChatWebApi implements ICredentialType {
  name = 'chatWebApi';

  displayName = 'Chat-Web API';

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-chat-web';

  icon = { light: 'file:../icons/chat-web.svg', dark: 'file:../icons/chat-web.dark.svg' } as const;

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      required: true,
      default: 'http://localhost:3000',
      description: 'Of the gateway, without a path',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: 'A key of the gateway: with scope send for actions, with scope manage for triggers',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/[/]+$/, "")}}', url: '/access' },
  };
}
