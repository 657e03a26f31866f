/** Which scenarios of the conformance suite are about us, and for each other one why it is not. */

export const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
export type Version = (typeof VERSIONS)[number];

const fixture = (tool: string) => `needs the suite’s own fixture ${tool}; the contract’s tools are frozen`;
const NO_RESOURCES = 'the server has no resources and does not declare them';
const NO_LOGGING = 'the server does not declare logging';
const ASKS_NOTHING = 'the server never asks the client for anything, so there is no such tool to call';

/** Scenario → why it cannot apply. Everything else is run and has to hold. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'logging-set-level': NO_LOGGING,
  'completion-complete': 'the server declares no completions',
  'tools-call-simple-text': fixture('test_simple_text'),
  'tools-call-image': fixture('test_image_content'),
  'tools-call-audio': fixture('test_audio_content'),
  'tools-call-embedded-resource': fixture('test_embedded_resource'),
  'tools-call-mixed-content': fixture('test_multiple_content_types'),
  'tools-call-with-logging': NO_LOGGING,
  'tools-call-error': fixture('test_error_handling'),
  'tools-call-with-progress': fixture('test_tool_with_progress'),
  'tools-call-sampling': ASKS_NOTHING,
  'tools-call-elicitation': ASKS_NOTHING,
  'json-schema-2020-12': fixture('json_schema_2020_12_tool'),
  'elicitation-sep1034-defaults': ASKS_NOTHING,
  'elicitation-sep1330-enums': ASKS_NOTHING,
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'sep-2164-resource-not-found': NO_RESOURCES,
  'prompts-get-simple': fixture('prompt test_simple_prompt'),
  'prompts-get-with-args': fixture('prompt test_prompt_with_arguments'),
  'prompts-get-embedded-resource': fixture('prompt test_prompt_with_embedded_resource'),
  'prompts-get-with-image': fixture('prompt test_prompt_with_image'),
  'http-custom-header-server-validation': 'no tool maps an argument to a header',
  'input-required-result-basic-elicitation': ASKS_NOTHING,
  'input-required-result-basic-sampling': ASKS_NOTHING,
  'input-required-result-basic-list-roots': ASKS_NOTHING,
  'input-required-result-request-state': ASKS_NOTHING,
  'input-required-result-multiple-input-requests': ASKS_NOTHING,
  'input-required-result-multi-round': ASKS_NOTHING,
  'input-required-result-missing-input-response': ASKS_NOTHING,
  'input-required-result-non-tool-request': ASKS_NOTHING,
  'input-required-result-result-type': ASKS_NOTHING,
  'input-required-result-tampered-state': ASKS_NOTHING,
  'input-required-result-capability-check': ASKS_NOTHING,
  'input-required-result-ignore-extra-params': ASKS_NOTHING,
  'input-required-result-validate-input': ASKS_NOTHING,
};

/** Single checks of scenarios that apply otherwise. */
export const CHECKS_NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': fixture('test_missing_capability'),
  'sep-2575-missing-capability-http-400': fixture('test_missing_capability'),
  'sep-2549-resources-list-caching-hints': NO_RESOURCES,
  'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
};
