package brain

import (
	"context"
	"errors"
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
		answer, err := p.service.New(ctx, p.request(q))
		if err == nil {
			return p.reply(answer), nil
		}
		var said *openai.Error
		if !errors.As(err, &said) {
			return reply{}, unavailable(ctx, 0, err)
		}
		if !p.refused.make(said.StatusCode, said.Param+" "+said.Message+" "+said.RawJSON(),
			partTemperature, partSeed, partLimit, partStrict, partChoice) {
			return reply{}, unavailable(ctx, said.StatusCode, err)
		}
	}
}

func (p *openAI) request(q question) openai.ChatCompletionNewParams {
	function := shared.FunctionDefinitionParam{
		Name: toolName, Description: openai.String(toolDescription), Parameters: toolSchema(),
	}
	if !p.refused.without(partStrict) {
		function.Strict = openai.Bool(true)
	}
	r := openai.ChatCompletionNewParams{
		Model:    p.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(q.system), openai.UserMessage(q.user)},
		Tools:    []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(function)},
	}
	if !p.refused.without(partChoice) {
		r.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: toolName})
	}
	if !p.refused.without(partTemperature) {
		r.Temperature = openai.Float(0)
	}
	if !p.refused.without(partSeed) {
		r.Seed = openai.Int(q.seed)
	}
	if p.refused.without(partLimit) {
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
