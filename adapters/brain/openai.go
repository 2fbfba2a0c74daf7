package brain

import (
	"context"
	"net/http"
	"strings"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// openAI speaks Chat Completions, which every compatible server has.
type openAI struct {
	model   string
	service openai.ChatCompletionService
	refused concessions
}

// The parts of a request that not every model or server takes.
const (
	partTemperature = "temperature"
	partSeed        = "seed"
	partLimit       = "max_completion_tokens" // its older name is max_tokens
	partStrict      = "strict"
	partChoice      = "tool_choice"
)

func newOpenAI(s Server, name string, client *http.Client, retries int) *openAI {
	key := option.WithAPIKey(s.Key)
	if s.Key == "" {
		key = option.WithHeaderDel("Authorization")
	}
	// Without NewClient nothing of the SDK's own environment variables counts.
	return &openAI{model: name, service: openai.NewChatCompletionService(
		option.WithBaseURL(strings.TrimSuffix(s.URL, "/")+"/"), option.WithHTTPClient(client),
		option.WithMaxRetries(retries), option.WithMaxRetryDelay(maxWait), key,
	)}
}

func (p *openAI) ask(ctx context.Context, q question) (reply, error) {
	for {
		without := p.refused.now()
		var res *http.Response
		answer, err := p.service.New(ctx, p.request(q, without), option.WithResponseInto(&res))
		if err == nil {
			return p.reply(answer), nil
		}
		status, said := refusal(res)
		if !p.refused.make(without, status, said, partTemperature, partSeed, partLimit, partStrict, partChoice) {
			return reply{}, unavailable(ctx, status, err)
		}
	}
}

func (p *openAI) request(q question, without map[string]bool) openai.ChatCompletionNewParams {
	function := shared.FunctionDefinitionParam{
		Name: toolName, Description: openai.String(toolDescription), Parameters: toolSchema(),
	}
	if !without[partStrict] {
		function.Strict = openai.Bool(true)
	}
	r := openai.ChatCompletionNewParams{
		Model:    p.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(q.system), openai.UserMessage(q.user)},
		Tools:    []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(function)},
	}
	if !without[partChoice] {
		r.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: toolName})
	}
	if !without[partTemperature] {
		r.Temperature = openai.Float(0)
	}
	if !without[partSeed] {
		r.Seed = openai.Int(q.seed)
	}
	if without[partLimit] {
		r.MaxTokens = openai.Int(q.tokens)
	} else {
		r.MaxCompletionTokens = openai.Int(q.tokens)
	}
	return r
}

func (p *openAI) reply(answer *openai.ChatCompletion) reply {
	r := reply{input: answer.Usage.PromptTokens, output: answer.Usage.CompletionTokens}
	if len(answer.Choices) == 0 {
		return r
	}
	message := answer.Choices[0].Message
	r.text = message.Content
	for _, call := range message.ToolCalls {
		if call.Function.Name == toolName {
			r.arguments = call.Function.Arguments
			break // one act at a time
		}
	}
	return r
}
